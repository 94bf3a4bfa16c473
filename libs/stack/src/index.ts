export { cleanStale } from './claim';
export { attach } from './control';
export { doctor, type Finding } from './doctor';
export { StackError, type StackErrorCode } from './errors';
export { given, type GivenAddresses } from './given';
export { ensureInstalled } from './install';
export type { JournalEntry } from './journal';
export { projectRoot } from './paths';
export { startProcesses } from './processes';
export type {
  AppName,
  Conditions,
  Durability,
  Replica,
  ReplicaCounts,
  ServerName,
  Stack,
  StackOptions,
  Urls,
} from './types';
