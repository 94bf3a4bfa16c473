import type { Balances, Change, Movement } from '#lab/balance';
import type { Clock, Component, LockFolder, Servers } from '#lab/step';
import type { Redis } from 'ioredis';
import type { OptionName, Options } from './options';
import type { LocalProcess } from './shared/local-process';

/** What a strategy works with. Everything is an argument: nothing is found by magic. */
export interface Tools {
  readonly balances: Balances;
  readonly redis: Redis;
  /** The servers that only some strategies need. */
  readonly servers: Servers;
  /** Locks that are directories of this host. */
  readonly folder: LockFolder;
  readonly options: Options;
  readonly clock: Clock;
  /** The process that the request lives in: its mutexes are shared by all its requests, and by nobody else. */
  readonly process: LocalProcess;
  /** The simulated business of the critical section: `workMs` long. */
  readonly work: () => Promise<void>;
  /** Told of a release that failed after the sale was done: the buyer keeps the sale. */
  readonly warn: (warning: string, cause: unknown) => void;
}

/**
 * What can be promised of a strategy. The contract suite shows that each promise holds, and that each promise
 * which a strategy does not make is really broken.
 */
export const CAPABILITIES = {
  exactInOneProcess: 'two buyers of the last unit in one process: one gets it',
  exactAcrossProcesses: 'two buyers of the last unit in two processes: one gets it',
  survivesDeadHolder: 'when the holder dies, the next buyer can buy (after the lease, where there is one)',
  survivesLapse:
    'when the lock ends during the work (its lease is over, or Redis restarts empty), still nothing is sold twice',
  sellsToTheLast: 'while units are left, nobody is told that all are sold',
  survivesFailedWrite: 'when a write fails, its units are sold to who comes meanwhile',
  releasesOnlyItsOwn: "a release removes no other holder's lock, also when its own lock has ended",
  survivesSlowWork:
    'work longer than the lease, in a process that is well and may hold other locks, still sells nothing twice',
  noticesLoss:
    'work longer than the lease, cut off from the lock: the holder knows of the loss, or is refused, and sells nothing twice',
  releasesAfterSale: 'when a sale is done, the lock is free at once',
  survivesFailedRelease: 'a release that fails holds the next buyer up for no longer than the lease',
  grantsOneLease: "left alone, a dead holder's lock ends within one lease",
  losersTouchNothing: 'who waits in vain leaves the lock as it was',
  servesCrossedCarts:
    'two carts with the same things in opposite order: both are served, and nothing is sold twice',
  renewsOnlyItsOwn: "no timer renews another holder's lock",
} as const;
export type Capability = keyof typeof CAPABILITIES;

/** A kind of violation, as the verdict names it. */
export type ViolationKind =
  | 'oversold'
  | 'lost-update'
  | 'overlap'
  | 'foreign-release'
  | 'foreign-renewal'
  | 'stuck'
  | 'undersold'
  | 'orphan'
  | 'torn-cart'
  | 'dead-lock'
  | 'unavailable';

/** A circumstance under which a strategy may behave differently. */
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

/** Violations that must be seen, and further ones that may be seen beside them. */
export interface Expectation {
  readonly must: readonly ViolationKind[];
  readonly may: readonly ViolationKind[];
}

/** One way of applying a change to a balance, safe or not. */
export interface Strategy {
  /** What a request says: `?strategy=setnx`. Final. */
  readonly name: string;
  /** How it works, one sentence. */
  readonly mechanism: string;
  /** The defect that it is known for, or why it has none. */
  readonly defect: string;
  /** The article, paper or documentation that it comes from. */
  readonly source: string;
  /** What the next rung of the ladder changes. */
  readonly next: string;
  readonly options: readonly OptionName[];
  /**
   * The file that exports it, `__filename` there: each explored process then has module instances of its own. Not needed in
   * the catalogue, where `strategies/NAME` is the file of the strategy NAME.
   */
  readonly module?: string;
  /** The servers that it needs besides Redis and the database. */
  readonly needs?: readonly Component[];
  /** Its lock keys in Redis, where there is not just the one of its name. */
  readonly locks?: (balance: string) => readonly string[];
  /**
   * In how many places of different kinds a holder has its lock at the same time, for example a key of Redis and a row: it
   * holds the lock only with all of them. Absent: in one, or in the servers of `needs`.
   */
  readonly parts?: 2;
  /** Its module keeps state that requests of one process share, as a static field would. Absent: it keeps none. */
  readonly sharesState?: true;
  /** The Redis keys that it needs besides its lock: deleted when the balance is set anew. */
  readonly keys?: (balance: string) => readonly string[];
  /** The promises that it does not keep; all others it does. */
  readonly lacks: readonly Capability[];
  /** What a load run shows, by circumstance; no entry means no violation. */
  readonly expected: Partial<Readonly<Record<Circumstance, Expectation>>>;
  /** Puts the stock where the strategy sells it from. Where nobody has done so, the first request does. */
  readonly prepare?: (balance: string, tools: Pick<Tools, 'balances' | 'redis'>) => Promise<void>;
  /**
   * Applies the change and records its movement. Throws `SoldOut`, `LockNotObtained`, `LockLost`, or what the
   * servers said.
   */
  apply(change: Change, tools: Tools): Promise<Movement>;
  /**
   * Applies all changes of a cart or none: of different balances, with one request id. One movement for each, in any
   * order. Throws as `apply` does. Absent: the strategy sells no carts.
   */
  readonly applyAll?: (cart: readonly Change[], tools: Tools) => Promise<readonly Movement[]>;
  /** Reads the value under the strategy's shared lock. Absent: readers need none. */
  read?(balance: string, tools: Tools): Promise<number>;
  /**
   * Brings what it keeps outside of the database together with the database, after a crash. May be called at any time,
   * by anybody, again and again. Returns by how many units its count has changed.
   */
  readonly reconcile?: (balance: string, tools: Reconciling) => Promise<number>;
}

/** A strategy that sells carts. */
export type CartStrategy = Strategy & Required<Pick<Strategy, 'applyAll'>>;

/** What a reconciliation works with: it belongs to no request. */
export type Reconciling = Pick<Tools, 'balances' | 'redis' | 'options' | 'clock' | 'process' | 'warn'>;

export const SAFE: Expectation = { must: [], may: [] };
