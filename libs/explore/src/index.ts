export { FAULTS, FaultsSyntaxError, budgetText, parseBudget, type Budget } from './budget';
export type { Choice, Places } from './choice';
export { finishAll } from './ending';
export { Diverged, execute, type Execution, type Plan, type Task } from './execution';
export { count, emptyTally, explore, type Limits, type Tally, type Witness } from './explorer';
export { Run, type Setup } from './run';
export { EXPLORE_OPTIONS, Schedule, after, before, type Mark, type Player } from './schedule';
export { VirtualClock } from './virtual-clock';
export { BALANCE, World, type WorldOptions } from './world';
