import type { Drill } from './drill';
import { REDIS_FAILOVER } from './redis-failover';

export type { Drill } from './drill';
export { runDrill, type DrillRun } from './run-drill';

/** All drills, in the order in which they are told. */
export const DRILLS: readonly Drill[] = [...REDIS_FAILOVER];
