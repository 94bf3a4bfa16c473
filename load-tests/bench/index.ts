export { benchHttp, type BenchOptions, type BenchResult, type Pair } from './http';
export { benchComponents, benchLocks, type ContenderResult, type LockBenchResult } from './locks';
export { seamCost } from './seam';
