import { unknownName, type Component } from '#lab/step';
import { extname, join } from 'node:path';
import type { CartStrategy, Protection, Strategy } from './contract';
import { conditionalUpdate } from './strategies/conditional-update';
import { directory } from './strategies/directory';
import { etcd } from './strategies/etcd';
import { expiring } from './strategies/expiring';
import { fair } from './strategies/fair';
import { fenced } from './strategies/fenced';
import { fencedWrite } from './strategies/fenced-write';
import { forUpdate } from './strategies/for-update';
import { forUpdateLate } from './strategies/for-update-late';
import { forUpdatePlainRead } from './strategies/for-update-plain-read';
import { getSet } from './strategies/get-set';
import { localMutex } from './strategies/local-mutex';
import { lua } from './strategies/lua';
import { multi } from './strategies/multi';
import { multiUnsorted } from './strategies/multi-unsorted';
import { multiServer } from './strategies/multi-server';
import { mysqlLockTable } from './strategies/mysql-lock-table';
import { mysqlLockTableTtl } from './strategies/mysql-lock-table-ttl';
import { mysqlNamedLock } from './strategies/mysql-named-lock';
import { none } from './strategies/none';
import { optimistic } from './strategies/optimistic';
import { readWrite } from './strategies/read-write';
import { redisDecr } from './strategies/redis-decr';
import { redisAndTable } from './strategies/redis-and-table';
import { redlock } from './strategies/redlock';
import { redlockBeta } from './strategies/redlock-beta';
import { reentrant } from './strategies/reentrant';
import { reentrantThread } from './strategies/reentrant-thread';
import { replicated } from './strategies/replicated';
import { segmented } from './strategies/segmented';
import { segmentedNaive } from './strategies/segmented-naive';
import { segmentedRedis } from './strategies/segmented-redis';
import { rollbackOnLoss } from './strategies/rollback-on-loss';
import { setnx } from './strategies/setnx';
import { setnxCatch } from './strategies/setnx-catch';
import { setnxExpire } from './strategies/setnx-expire';
import { setnxExpireAll } from './strategies/setnx-expire-all';
import { singleWriter } from './strategies/single-writer';
import { snapshotBeforeLock } from './strategies/snapshot-before-lock';
import { tokenByReference } from './strategies/token-by-reference';
import { tokenChecked } from './strategies/token-checked';
import { tokenLua } from './strategies/token-lua';
import { unlockBeforeCommit } from './strategies/unlock-before-commit';
import { unlockUnacquired } from './strategies/unlock-unacquired';
import { watchdog } from './strategies/watchdog';
import { watchdogNaive } from './strategies/watchdog-naive';
import { watchdogSharedFlag } from './strategies/watchdog-shared-flag';
import { zookeeper } from './strategies/zookeeper';
import { zookeeperHerd } from './strategies/zookeeper-herd';

/** Every strategy, in teaching order. Validation, docs, command line and load tests all read this list. */
export const CATALOGUE: readonly Strategy[] = [
  none,
  localMutex,
  directory,
  getSet,
  setnx,
  setnxCatch,
  setnxExpire,
  setnxExpireAll,
  lua,
  unlockUnacquired,
  expiring,
  tokenChecked,
  tokenByReference,
  tokenLua,
  watchdogNaive,
  watchdogSharedFlag,
  watchdog,
  rollbackOnLoss,
  reentrantThread,
  reentrant,
  fair,
  readWrite,
  multiUnsorted,
  multi,
  replicated,
  redlock,
  multiServer,
  redlockBeta,
  segmentedNaive,
  segmented,
  segmentedRedis,
  redisDecr,
  zookeeper,
  zookeeperHerd,
  etcd,
  redisAndTable,
  mysqlLockTable,
  mysqlLockTableTtl,
  mysqlNamedLock,
  forUpdateLate,
  forUpdate,
  optimistic,
  conditionalUpdate,
  fencedWrite,
  fenced,
  unlockBeforeCommit,
  snapshotBeforeLock,
  forUpdatePlainRead,
  singleWriter,
];

export const DEFAULT_STRATEGY = conditionalUpdate.name;

export class UnknownStrategy extends Error {
  readonly code = 'STRATEGY.UNKNOWN';

  constructor(name: string, known: readonly string[]) {
    super(unknownName('strategy', name, known));
    this.name = 'UnknownStrategy';
  }
}

export const sellsCarts = (strategy: Strategy): strategy is CartStrategy => strategy.applyAll !== undefined;

/** The strategy cannot sell several products all or nothing. */
export class NoCarts extends Error {
  readonly code = 'STRATEGY.NO_CARTS';

  constructor({ name }: Strategy) {
    const able = CATALOGUE.filter(sellsCarts).map((strategy) => strategy.name);
    super(`the strategy "${name}" sells one product at a time. For a cart choose one of: ${able.join(', ')}`);
    this.name = 'NoCarts';
  }
}

/** The strategy, if it sells carts; otherwise throws `NoCarts` with the names of those that do. */
export function cartStrategy(strategy: Strategy): CartStrategy {
  if (!sellsCarts(strategy)) throw new NoCarts(strategy);
  return strategy;
}

const byName = new Map(index(CATALOGUE));

/** Makes a strategy of a user's file known to this process. Throws when the name is taken. */
export function addStrategy(strategy: Strategy): void {
  if (byName.has(strategy.name))
    throw new Error(`there is a strategy "${strategy.name}" already: rename the file`);
  byName.set(strategy.name, strategy);
}

/** The catalogue, and the strategies of users' files that this process knows. */
export const knownStrategies = (): readonly Strategy[] => [...byName.values()];

/** Finds a strategy, or throws `UnknownStrategy` with the list of names. */
export function findStrategy(name: string): Strategy {
  const strategy = byName.get(name);
  if (strategy === undefined) throw new UnknownStrategy(name, [...byName.keys()]);
  return strategy;
}

/**
 * The file that exports the strategy. Undefined for an object that is not in the catalogue and has no `module`; for example
 * for a copy of a strategy, because its functions may differ.
 */
export function fileOf(strategy: Protection): string | undefined {
  if (strategy.module !== undefined) return strategy.module;
  if (byName.get(strategy.name) !== strategy) return undefined;
  return join(__dirname, 'strategies', `${strategy.name}${extname(__filename)}`);
}

/** The optional servers that these strategies or guards need, each once. */
export const componentsOf = (strategies: readonly Pick<Protection, 'needs'>[]): readonly Component[] => [
  ...new Set(strategies.flatMap(({ needs = [] }) => needs)),
];

/** Strategies by name. A duplicate name stops the boot. */
export function index(strategies: readonly Strategy[]): ReadonlyMap<string, Strategy> {
  const found = new Map<string, Strategy>();
  for (const strategy of strategies) {
    if (found.has(strategy.name)) {
      throw new Error(
        `two strategies are named "${strategy.name}": rename one of them in libs/strategy/src/strategies`,
      );
    }
    found.set(strategy.name, strategy);
  }
  return found;
}
