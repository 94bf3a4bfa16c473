export {
  checkPrograms,
  compareProgram,
  type ProgramDifference,
  type ProgramsOptions,
  type ProgramsResult,
} from './check';
export type { Program } from './program';
