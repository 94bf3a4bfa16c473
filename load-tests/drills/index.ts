import type { Drill } from './drill';
import { REDIS } from './redis';

export type { Drill } from './drill';
export { runDrill, type DrillRun } from './run-drill';

/** All drills, in the order in which they are told. */
export const DRILLS: readonly Drill[] = [...REDIS];
