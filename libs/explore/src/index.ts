export { FAULTS, FaultsSyntaxError, budgetText, parseBudget, type Budget } from './budget';
export type { Choice, FaultPlaces } from './choice';
export { finishAll } from './ending';
export { Diverged, execute, type Execution, type Plan, type Subtree } from './execution';
export { CELLS, CROSSED_CARTS, cellOf, existsFor, planOf, type Cell } from './cells';
export { WorkerPool, WorkerDied, type ServerSettings } from './worker-pool';
export { explore, type Limits } from './explorer';
export { judgeCell, type CellVerdict } from './cell-verdict';
export { breachesOf, contradictions, declares, expectedOf } from './expectation';
export { emptyTally, type Tally, type Witness } from './tally';
export { Run } from './run';
export type { Setup } from './setup';
export { EXPLORE_OPTIONS, LEAST_LEASE_MS, Schedule } from './schedule';
export { after, before, type Breakpoint, type Player } from './player';
export { VirtualClock } from './virtual-clock';
export { ownServers, type WorldOptions } from './actor-connections';
export { BALANCE, BALANCES, World } from './world';
export { drawLanes, drawMermaid } from './lanes';
export { loseReplies, renderLostReplies, type LostReply } from './lost-replies';
export { NESTED, playNested, type NestedRun, type NestedWay } from './nested';
export { OutsideTheSeam } from './idle';
export { NotLoadable, Realm, SHARED_MODULES, loadStrategy } from './realm';
export { normalise } from './normalise';
export { NoLongerReproduces, play, scheduleTokenOf, replay, type Played } from './replay';
export { shrink } from './shrink';
export { TokenSyntaxError, readToken, strategyHash, writeToken, type ScheduleToken } from './token';
export { readSchedule, scheduleText } from './schedule-text';
export {
  costOf,
  exploreCell,
  exploreMatrix,
  nextThatPasses,
  type MatrixCell,
  type MatrixRow,
} from './matrix';
export { renderMatrix } from './matrix-page';
export { refuseStraySteps } from './stray-steps';
export { playRandom, seeded, walk } from './walk';
