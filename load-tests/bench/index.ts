export { benchHttp, type BenchOptions, type BenchResult, type Pair } from './http';
export { benchConsole, type Clicks, type ConsoleBenchResult } from './console';
export {
  benchGuards,
  GUARD_KINDS,
  guardComponents,
  type ActionResult,
  type GuardBenchOptions,
  type LimiterResult,
} from './guards';
export { benchComponents, benchLocks, type ContenderResult, type LockBenchResult } from './locks';
export { benchOverload, type OverloadCurve } from './overload';
export { benchStampede, type StampedeBenchResult, type StampedeResult } from './stampede';
export { seamCost } from './seam';
