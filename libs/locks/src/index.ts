export type { Decision } from './decisions';
export { LOCK_TABLE, LockRows, type LockRow } from './lock-rows';
export { LOCK_MIGRATIONS } from './migrations';
export { underNamedLock } from './named-lock';
export { SqlLocks } from './sql-locks';
