export {
  checkDeterminism,
  type ConditionResult,
  type DeterminismOptions,
  type DeterminismResult,
  type Difference,
} from './determinism';
export {
  checkPrograms,
  compareProgram,
  type Program,
  type ProgramDifference,
  type ProgramsResult,
} from './programs';
export {
  checkReduction,
  endingsOf,
  isDifferent,
  isMiscounted,
  planOfTwo,
  type Comparison,
  type LeftOut,
  type ReductionFindings,
  type ReductionResult,
} from './reduction';
export { CONDITIONS, type ConditionName, type Disturbable } from './conditions';
