export { benchHttp, type BenchOptions, type BenchResult, type Pair } from './http';
export { seamCost } from './seam';
