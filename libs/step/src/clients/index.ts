export * from './etcd';
export * from './gateway';
export * from './lock-folder';
export * from './redis';
export * from './redis-cluster';
export { NotInSchedules } from './not-in-schedules';
export { lockCommandNamed, nameScript } from './redis-command';
export { watchCommands } from './redis-monitor';
export * from './servers';
export { CONNECTING, lockStatement, SteppedDataSource, type SteppedDataSourceOptions } from './sql';
export { instrument, type Instrumented } from './instrument';
export { NotInstrumentable, refuseHidden } from './recognize';
export {
  followUse,
  isConnecting,
  type InstrumentedPool,
  type MysqlConnection,
  type MysqlPool,
} from './instrument-mysql';
export { argumentAt, withoutTexts, NO_WAIT, namedLocksAsSent, prefixedName } from './named-locks';
export type { InstrumentedRedis } from './instrument-redis';
export { isObserved, noteObserved } from './observed-sockets';
export { firstCommandIn, type Protocol } from './wire-commands';
export * from './zookeeper';
