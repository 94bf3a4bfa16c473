export { benchHttp, type BenchOptions, type BenchResult, type Pair } from './http';
export { benchComponents, benchLocks, type ContenderResult, type LockBenchResult } from './locks';
export { benchOverload, type OverloadCurve } from './overload';
export { seamCost } from './seam';
