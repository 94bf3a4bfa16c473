import type { Drill } from './drill';
import { ENSEMBLES } from './ensembles';
import { REDIS } from './redis';
import { REDIS_ALONE } from './redis-alone';

export { Buyer } from './buyer';
export { drillInChinese } from './chinese';
export type { Drill } from './drill';
export { before } from './messages';
export { runDrill, type DrillRun } from './run-drill';
export { runInChinese } from './run-in-chinese';

/** All drills, in the order of the reports. */
export const DRILLS: readonly Drill[] = [...REDIS, ...REDIS_ALONE, ...ENSEMBLES];
