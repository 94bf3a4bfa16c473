export { assertCanFire, FaultCannotFire } from './can-fire';
export { measureHandOvers, type HandOvers } from './hand-overs';
export { LabDisabled, labOf, type RunningLab } from './lab';
export type { LoadObserver } from './observer';
export { sendOrder, type OrderResponse } from './order-client';
export {
  balancesOf,
  circumstanceOf,
  completePlan,
  expectationOf,
  hostOf,
  parseFaultOn,
  strategiesOf,
  together,
  type FaultOn,
  type LoadPlan,
  type PlanInput,
} from './plan';
export { sendClosedLoop } from './closed-loop';
export { atRest, faultFired, gather, runLoad, type ReplicaControl, type LoadRun } from './run-load';
export type { LatencySummary, Percentiles } from './summary';
export { Target, TargetError } from './target';
export { findUnfired, unfiredInChinese, unfiredText, type UnfiredFaults } from './unfired';
export {
  UnexpectedAnswerCollector,
  unexpectedLines,
  unexpectedText,
  type UnexpectedAnswers,
} from './unexpected';
export { untilProved, type Judged } from './until-proved';
