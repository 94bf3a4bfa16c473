export {
  addStrategy,
  CATALOGUE,
  cartStrategy,
  componentsOf,
  DEFAULT_STRATEGY,
  fileOf,
  NoCarts,
  sellsCarts,
  UnknownStrategy,
  findStrategy,
  index,
  knownStrategies,
} from './catalogue';
export { nextText, renderCatalogue } from './catalogue-page';
export {
  CAPABILITIES,
  SAFE,
  type CartStrategy,
  type Capability,
  type Circumstance,
  type EffectViolationKind,
  type Expectation,
  type LimitScheduleViolationKind,
  type Protection,
  type Reconciling,
  type Strategy,
  type Tools,
  type ViolationKind,
  underOptions,
} from './contract';
export { FAULTS, faultOfAction, faultsThatTest, faultsWith, type FaultFacts, type FaultName } from './faults';
export {
  choiceQuery,
  DEFAULT_OPTIONS,
  OPTION_NAMES,
  optionsSchema,
  type OptionName,
  type Options,
} from './options';
export { LockLost, LockNotObtained, UpgradeRefused } from './shared/errors';
export { sellFromSegments } from './shared/fall-through';
export { Lease } from './shared/lease';
export { readWriteLock } from './shared/read-write-lock';
export { LocalProcess } from './shared/local-process';
export { acquireWithFence, defineScript, loadScripts, releaseIfOwner, run } from './shared/scripts';
export { createIfAbsent, findOurs, removeUntilGone } from './shared/zookeeper-nodes';
export { sourcesOf } from './sources';
export type { PubSubListener, PubSub } from './shared/pub-sub';
export { readModifyWrite } from './shared/read-modify-write';
export { RedisPubSub } from './shared/redis-pub-sub';
export { reentrantLock } from './shared/reentrant-lock';
export { allOf, anyOf } from './shared/several-locks';
export { tokenLock } from './shared/token-lock';
export type { Notify } from './shared/wait-notify';
export {
  acquire,
  lockKey,
  lockKeysOf,
  release,
  withLock,
  type Lock,
  type LockTools,
} from './shared/with-lock';
