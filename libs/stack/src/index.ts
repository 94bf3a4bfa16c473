export { cleanStale, foldersLeftIn, removeLeft } from './claim';
export { attach } from './control';
export { doctor, type Finding } from './doctor';
export { StackError, type StackErrorCode } from './errors';
export { given, type GivenAddresses } from './given';
export { askEtcd } from './etcd';
export type { FakedClock } from './faked-clock';
export { holdFile, type HoldOptions } from './hold-file';
export { stateOf } from './identity';
export { ensureInstalled } from './install';
export type { JournalEntry } from './journal';
export { startOwnServers, type OwnServers } from './own-servers';
export { projectRoot } from './paths';
export { pollUntil } from './poll';
export { isFree } from './ports';
export type { OnDemand } from './programs';
export { startProcesses } from './processes';
export type { ClusterNode, Shard } from './redis-cluster';
export { replicaLog } from './replica-logs';
export { acknowledgedBy, withRedis, type StartedRedis } from './redis';
export { ServerPark, type Member } from './server-park';
export { FaultProxy } from './fault-proxy';
export { askZookeeper } from './zookeeper';
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
