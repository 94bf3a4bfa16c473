export {
  checkDeterminism,
  type ConditionResult,
  type DeterminismOptions,
  type DeterminismResult,
  type Difference,
} from './determinism';
export { CONDITIONS, type ConditionName, type Disturbable } from './conditions';
