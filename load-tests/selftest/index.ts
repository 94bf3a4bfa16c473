export {
  checkDeterminism,
  type ConditionResult,
  type DeterminismOptions,
  type DeterminismResult,
  type Difference,
} from './determinism';
export { checkReduction, endingsOf, isDifferent, planOfTwo, type ReductionResult } from './reduction';
export { CONDITIONS, type ConditionName, type Disturbable } from './conditions';
