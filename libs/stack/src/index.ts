export { cleanStale } from './claim';
export { attach } from './control';
export { doctor, type Finding } from './doctor';
export { StackError, type StackErrorCode } from './errors';
export { given, type GivenAddresses } from './given';
export { stateOf } from './identity';
export { ensureInstalled } from './install';
export type { JournalEntry } from './journal';
export { projectRoot } from './paths';
export { startProcesses } from './processes';
export { withRedis, type StartedRedis } from './redis';
export { ServerPark } from './server-park';
export { Wire } from './wire';
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
