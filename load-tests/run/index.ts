export { sendOrder } from './order-client';
export {
  circumstanceOf,
  completePlan,
  expectationOf,
  hostOf,
  skusOf,
  type FaultOn,
  type LoadPlan,
  type PlanInput,
} from './plan';
export { atRest, gather, runLoad, type ReplicaControl, type LoadRun } from './run-load';
export type { LatencySummary } from './summary';
export { Target, TargetError } from './target';
export { whyUnfired } from './unfired';
export { UnexpectedAnswerCollector, unexpectedLines, type UnexpectedAnswers } from './unexpected';
export { untilProved, type Judged } from './until-proved';
