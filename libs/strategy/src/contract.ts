import type { Balances, Change, Movement } from '#lab/balance';
import type { SqlLocks } from '#lab/locks';
import type { Clock, Component, LockFolder, Servers } from '#lab/step';
import type { Redis } from 'ioredis';
import type { DataSource } from 'typeorm';
import type { OptionName, Options } from './options';
import type { LocalProcess } from './shared/local-process';

/** Everything that a strategy works with, passed explicitly. */
export interface Tools {
  readonly balances: Balances;
  /** Lock rows, named locks and decisions in the database of the balances. */
  readonly sqlLocks: SqlLocks;
  readonly redis: Redis;
  /** The database of the balances, for strategies of users' files: those of the catalogue use `balances` and `sqlLocks`. */
  readonly sql?: DataSource;
  /** The servers that only some strategies need. */
  readonly servers: Servers;
  /** Locks that are directories on this host. */
  readonly folder: LockFolder;
  readonly options: Options;
  readonly clock: Clock;
  /** The process that serves the request. All its requests share its mutexes; other processes do not. */
  readonly process: LocalProcess;
  /** Simulated business time inside the critical section: `workMs`. */
  readonly work: () => Promise<void>;
  /** Reports a failure after the change was decided, for example of a release. The result stands. */
  readonly warn: (warning: string, cause: unknown) => void;
}

/**
 * What a strategy can be capable of. The contract suite shows that a strategy has each capability, unless it declares that
 * it lacks it; then the suite shows that it really fails.
 */
export const CAPABILITIES = {
  exactInOneProcess: 'two buyers of the last unit in one process: exactly one gets it',
  exactAcrossProcesses: 'two buyers of the last unit in two processes: exactly one gets it',
  survivesDeadHolder: 'after the holder dies, the next buyer can buy (once the lease, if any, has ended)',
  survivesLapse:
    'when the lock ends during the work (lease or session over, also during a pause; or Redis restarted empty), no unit is sold twice',
  sellsToTheLast: 'no buyer receives "sold out" while units are left',
  survivesFailedWrite: 'when a write fails, its units are available to a buyer who arrived in the meantime',
  releasesOnlyItsOwn: "a release never removes another holder's lock, even when its own lock has ended",
  survivesSlowWork:
    'work that outlives the lease, in a healthy process that may hold other locks, sells no unit twice',
  noticesLoss:
    'work that outlives the lease, cut off from the lock: the holder detects the loss or is refused, and sells no unit twice',
  releasesAfterSale: 'the lock is free as soon as the sale is done',
  survivesFailedRelease: 'a failed release delays the next buyer by no more than the lease',
  grantsOneLease: "a dead holder's lock ends within one lease, if no other client touches it",
  losersTouchNothing: 'a client that fails to acquire the lock leaves it unchanged',
  servesCrossedCarts:
    'two carts with the same products in opposite order: both are served, and no unit is sold twice',
  renewsOnlyItsOwn: "no client renews another holder's lock",
  failsClosed: 'when a command of the acquire fails, no client sells without the lock',
  givesUpInTime: 'a client that does not obtain the lock within its waiting time gives up',
} as const;
export type Capability = keyof typeof CAPABILITIES;

/** A kind of violation, in the words of the verdict. */
export type ViolationKind =
  | 'oversold'
  | 'lost-update'
  | 'overlap'
  | 'foreign-release'
  | 'foreign-renewal'
  | 'stuck'
  | 'undersold'
  | 'orphan'
  | 'lost-acknowledged'
  | 'torn-cart'
  | 'dead-lock'
  | 'unavailable'
  | EffectViolationKind
  | LimitScheduleViolationKind;

/** What can be wrong with the effects of actions. */
export type EffectViolationKind =
  /** A second effect for what may have one: a message sent twice, a number given twice. */
  | 'duplicate'
  /** A client was answered that an action is done, and there is no effect. */
  | 'missing'
  /** An effect of a former leader after one of its successor. */
  | 'stale-write'
  /** Work that one process should have done for all was done again. */
  | 'repeated-work'
  /** Too many pages of a cache expire within one second. */
  | 'avalanche';

/** What can be wrong with the decisions of a rate limiter in one schedule. */
export type LimitScheduleViolationKind =
  /** More requests of a client were admitted in a window than the limiter promises. */
  | 'over-limit'
  /** The key of a client never expires: it is refused forever. */
  | 'blocked-forever';

/** A circumstance in which a strategy may behave differently. */
export type Circumstance =
  | 'one-replica'
  | 'replicas'
  | 'holder-killed'
  | 'killed-then-reconciled'
  | 'release-fails'
  | 'work-outlives-lease'
  | 'waiters-give-up'
  | 'paused-in-acquire'
  | 'paused-before-release'
  | 'paused-before-write'
  | 'crossed-carts'
  | 'crossed-carts-outwait-leases'
  | 'server-down';

/** Violations that must occur, and violations that may occur as well. */
export interface Expectation {
  readonly must: readonly ViolationKind[];
  readonly may: readonly ViolationKind[];
}

/** What strategies of balances and guards of actions have in common. */
export interface Protection {
  /** The name in a request: `?strategy=setnx`. It never changes. */
  readonly name: string;
  /** How it works, in one sentence. */
  readonly mechanism: string;
  /** Its known defect, or why it has none. */
  readonly defect: string;
  /** The article, paper or documentation that it comes from. */
  readonly source: string;
  readonly options: readonly OptionName[];
  /**
   * The file that exports it (`__filename`): the explorer evaluates it once for each process. Not needed in the catalogue,
   * where `strategies/NAME` is the file of the strategy NAME.
   */
  readonly module?: string;
  /** The servers that it needs in addition to Redis and the database. */
  readonly needs?: readonly Component[];
  /** The names of its lock keys in Redis begin with a prefix of a library. Absent: they are those of `lockKey`. */
  readonly prefixesKeys?: true;
  /** It sets timers of its own instead of using the clock of its tools. */
  readonly setsTimers?: true;
  /** It may read the clock of its tools at any time, and decide by it. */
  readonly readsClock?: true;
  /** Its memory is shared by the requests of one process, as a static field is. Absent: it keeps none. */
  readonly sharesState?: true;
}

/** One way to apply a change to a balance, safe or not. */
export interface Strategy extends Protection {
  /** The id of a request decides more than names: for example which row it tries first. */
  readonly usesRequestId?: true;
  /** A lock of a user's file, under which the lab sells. */
  readonly isLock?: true;
  /** What to use instead: the strategy, where the catalogue has one, and what it changes. */
  readonly next: { readonly strategy?: string; readonly why: string };
  /** Its lock keys in Redis. Absent: one key, named after the strategy. */
  readonly locks?: (balance: string) => readonly string[];
  /**
   * The lock consists of this many parts of different kinds, for example a Redis key and a row; a holder has all of them.
   * Absent: one part, or the servers of `needs`.
   */
  readonly parts?: 2;
  /** Its Redis keys other than the lock. Deleted when the balance is reset. */
  readonly keys?: (balance: string) => readonly string[];
  /** The capabilities that it lacks; it has all others. */
  readonly lacks: readonly Capability[];
  /** The violations of a load run, by circumstance. No entry means no violation. */
  readonly expected: Partial<Readonly<Record<Circumstance, Expectation>>>;
  /** What it lacks and shows with `isolation=read-committed`. Absent: the same as with the default isolation level. */
  readonly readCommitted?: Pick<Strategy, 'lacks' | 'expected'>;
  /** Moves the stock to where the strategy sells it from. Otherwise the first request does so. */
  readonly prepare?: (balance: string, tools: Pick<Tools, 'balances' | 'redis'>) => Promise<void>;
  /**
   * Applies the change and records its movement. Throws `SoldOut`, `LockNotObtained`, `LockLost`, or the error of a
   * server.
   */
  apply(change: Change, tools: Tools): Promise<Movement>;
  /**
   * Applies all changes of a cart or none. The changes have different balances and one request id. Returns one movement
   * per change, in any order. Throws as `apply` does. Absent: the strategy sells no carts.
   */
  readonly applyAll?: (cart: readonly Change[], tools: Tools) => Promise<readonly Movement[]>;
  /** Reads the value under the strategy's read lock. Absent: readers need no lock. */
  read?(balance: string, tools: Tools): Promise<number>;
  /**
   * Reconciles the state outside of the database with the database, after a crash. Idempotent; any process may call it at
   * any time. Returns the change of its count, in units.
   */
  readonly reconcile?: (balance: string, tools: Reconciling) => Promise<number>;
}

/** The strategy as it behaves with these options. */
export const underOptions = (strategy: Strategy, { isolation }: Pick<Options, 'isolation'>): Strategy =>
  isolation === 'read-committed' ? { ...strategy, ...strategy.readCommitted } : strategy;

/** A strategy that sells carts. */
export type CartStrategy = Strategy & Required<Pick<Strategy, 'applyAll'>>;

/** The tools of a reconciliation, which belongs to no request. */
export type Reconciling = Pick<Tools, 'balances' | 'redis' | 'options' | 'clock' | 'process' | 'warn'>;

export const SAFE: Expectation = { must: [], may: [] };
