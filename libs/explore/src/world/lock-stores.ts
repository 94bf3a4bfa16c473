import { LOCK_TABLE } from '#lab/locks';
import type { Component, Step, StepInfo, SteppedRedis } from '#lab/step';
import { readdir, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { FAR_FUTURE, readKeys, restoreLeases } from './read-locks';
import type { ActorConnections } from './actor-connections';

/** A lock as read from its server. */
export interface LockReading {
  /** Name of the lock, `lock:{item}:setnx`: the same in every store that has a part of it. */
  readonly lock: string;
  /** Differs between two tenures of the lock: a hash of the value, the owner, or the number of the node. */
  readonly content: string;
  /**
   * Token that the holder wrote. The owner is the actor with this name, or the actor that first sent this token;
   * otherwise the actor whose step created the lock.
   */
  readonly token?: string;
  /** False: it is not known which entry holds it, as in a list, whose holder may be at either end. Absent: it has an owner. */
  readonly hasOwner?: false;
  /** Remaining time to live, milliseconds; -1: no expiry. */
  readonly ttlMs: number;
  /** `ttlMs` is what a command granted, and not what is left of it some moments later. */
  readonly isExact?: boolean;
  /**
   * Head of a wait queue: when it is removed, the next entry holds the lock. It lives as long as the lease of its
   * request or its session, whatever `ttlMs` says.
   */
  readonly queued?: true;
  /** The step before this read set the time to live. */
  readonly renewed?: boolean;
  /** The step has left the time to live as it was, whatever it did to the content. */
  readonly keepsExpiry?: boolean;
  /** The step may have moved or copied the lock, with its time to live, from this one. */
  readonly movedFrom?: string;
}

/** Expiry times of lock keys by name. */
type Expiries = ReadonlyMap<string, number>;

/** Where locks are stored: the keys of a Redis, the rows of a table. Read after every step that may change it. */
export interface LockStore {
  /** Prefix of its locks' names in texts; empty for the lab's own Redis. */
  readonly name: string;
  /** Read only for strategies that need this component; absent: for all. */
  readonly component?: Component | undefined;
  /** What its entries are; absent: locks. */
  readonly noun?: 'window';
  /** True: `read` is sent right behind the command on the same connection. False: `read` is sent after the answer. */
  readonly pipelined: boolean;
  /** As `pipelined`, for steps of which this is true when they have been issued. */
  readsBehind?(step: Step): boolean;
  /** The text of a command contains the lease that it grants. Absent: that of pipelined stores does. */
  readonly grantsInText?: boolean;
  /** A lock here lives as long as its owner's session, which sends heartbeats while the process runs. */
  readonly heartbeats?: boolean;
  touchedBy(step: StepInfo): boolean;
  /** Whether the step, when it succeeds, renews its actor's lock in a way that `read` cannot see. */
  renewedBy?(step: StepInfo): boolean;
  /** The server ends the session of a process and removes what was created in it. The client is not notified. */
  endSession?(connections: ActorConnections): Promise<void>;
  /**
   * Sent right before a step of a pipelined store, so that the step sees the virtual remaining time of each lock;
   * `leases` in milliseconds. Absent: no command looks at it here.
   */
  restore?(
    connections: ActorConnections,
    leases: ReadonlyMap<string, number>,
    step?: StepInfo,
  ): Promise<Expiries>;
  /**
   * All locks, as read over `connections`. Until the next step real time cannot expire one. `before`: result of
   * `restore`. `step`: the step that may have changed them.
   */
  read(
    connections?: ActorConnections,
    before?: Promise<Expiries>,
    step?: Step,
  ): Promise<readonly LockReading[]>;
  /**
   * Expires a lock. False when a transaction has locked its row: the expiry would not be visible before the
   * transaction ends.
   */
  end(lock: string): Promise<boolean>;
  /** Removes all locks. */
  clear(): Promise<void>;
}

/** Display name: the store, unless it is the lab's own Redis, and the lock. */
export const shownLock = (store: string, lock: string): string => (store === '' ? lock : `${store} ${lock}`);

/** The keys of the catalogue's locks. */
const OUR_LOCKS = 'lock:*';
/** The keys of any lock whose resource is named as the catalogue's are: libraries put a prefix before it. */
const LOCKS_OF_LIBRARIES = '*lock:*';

/** Types of keys that hold the entries of a queue. */
const QUEUES: ReadonlySet<string> = new Set(['list', 'zset', 'stream']);

export class RedisLockStore implements LockStore {
  readonly pipelined = true;

  constructor(
    readonly name: string,
    private readonly admin: SteppedRedis,
    /** Selects an actor's own connection to this Redis. */
    private readonly connectionOf: (connections: ActorConnections) => SteppedRedis,
    /** The connections of all actors. */
    private readonly all: readonly ActorConnections[],
    readonly component?: Component,
    /** The keys that are locks, as a pattern of KEYS. */
    private readonly pattern = OUR_LOCKS,
  ) {}

  /** The same server, where any key that contains the name of a resource is a lock. */
  ofLibraries(): RedisLockStore {
    const { name, admin, connectionOf, all, component } = this;
    return new RedisLockStore(name, admin, connectionOf, all, component, LOCKS_OF_LIBRARIES);
  }

  touchedBy(step: StepInfo): boolean {
    return isRedisWrite(step) && !CHANGES_NO_KEY.test(step.text) && (step.server ?? '') === this.name;
  }

  /** Not during a WATCH, whose EXEC a change would abort, nor in a MULTI, which would queue it. */
  restore(connections: ActorConnections, leases: ReadonlyMap<string, number>): Promise<Expiries> {
    const isWatched = this.all.some((one) => this.connectionOf(one).transaction.isWatching);
    const connection = this.connectionOf(connections);
    if (isWatched || connection.transaction.isInMulti)
      return Promise.resolve(new Map(Array.from(leases.keys(), (lock) => [lock, FAR_FUTURE])));
    return restoreLeases(connection, leases);
  }

  async read(connections: ActorConnections, before: Promise<Expiries>): Promise<readonly LockReading[]> {
    const connection = this.connectionOf(connections);
    const reader = connection.transaction.isInMulti ? this.admin : connection; // MULTI only queues commands
    const [found, expiries] = await Promise.all([readKeys(reader, this.pattern), before]);
    return found.map(([lock, content, ttlMs, expiry, token, type]) => ({
      lock,
      content,
      ttlMs,
      token,
      ...(QUEUES.has(type) && { hasOwner: false }),
      renewed: expiry !== (expiries.get(lock) ?? -1),
    }));
  }

  async end(lock: string): Promise<boolean> {
    await this.admin.del(lock);
    return true;
  }

  async clear(): Promise<void> {
    await this.admin.flushdb();
  }
}

/** True for a command that may change a key. */
export const isRedisWrite = ({ kind, verb }: Pick<StepInfo, 'kind' | 'verb'>): boolean =>
  kind === 'redis' && !READS.test(verb);

/** Commands that are no reads, because it matters what is written before them, and that change no key. */
const CHANGES_NO_KEY = /^(WATCH |UNWATCH$|MULTI$|DISCARD$)/;

/** The locks that a step names, in its store; `all`: any lock of this store. */
export interface NamedLocks {
  readonly store: string;
  readonly locks: readonly string[] | 'all';
}

/** A statement on rows of locks does not say which. */
export function locksIn({ kind, key, keys, server = '', text }: StepInfo): NamedLocks {
  if (kind === 'sql') return { store: ROWS, locks: text.includes(LOCK_TABLE) ? 'all' : [] };
  if (kind === 'timer' || kind === 'local') return { store: '', locks: [] };
  return { store: server, locks: keys ?? (key === undefined ? [] : [key]) };
}

/** Read-only Redis commands. */
const READS =
  /^(GET|MGET|STRLEN|EXISTS|TYPE|P?TTL|HM?GET|HGETALL|LRANGE|LLEN|SMEMBERS|SISMEMBER|ZRANGE|ZSCORE|ZCARD|XRANGE|XLEN|TIME|WAIT|SUBSCRIBE|UNSUBSCRIBE)$/;

/** Name of the store of rows. */
const ROWS = 'row';
/** Expiry time of postponed rows: later than any schedule ends. */
const POSTPONED_TO = "'2037-01-01'";
const POSTPONE = `UPDATE ${LOCK_TABLE} SET expires_at = ${POSTPONED_TO} WHERE name IN (?)`;
const EXPIRE = `UPDATE ${LOCK_TABLE} SET expires_at = NOW(6) - INTERVAL 1 SECOND WHERE name IN (?)`;

const READ_ROWS = `
  SELECT name, owner,
         COALESCE(TIMESTAMPDIFF(MICROSECOND, NOW(6), expires_at) DIV 1000, -1) AS ttl,
         COALESCE(expires_at <> ${POSTPONED_TO}, 0) AS renewed
    FROM ${LOCK_TABLE} WHERE expires_at IS NULL OR expires_at > NOW(6)`;

/** Unexpired rows of the table of locks. */
export class RowLockStore implements LockStore {
  readonly name = ROWS;
  readonly pipelined = false;

  constructor(private readonly admin: Connection) {}

  touchedBy({ kind, verb, text }: StepInfo): boolean {
    return kind === 'sql' && verb !== 'SELECT' && text.includes(LOCK_TABLE);
  }

  async read(): Promise<readonly LockReading[]> {
    const [rows] = await this.admin.query<RowDataPacket[]>(READ_ROWS);
    const found = rows as { name: string; owner: string; ttl: number; renewed: number }[];
    for (const { name, renewed } of found) if (renewed === 1) await this.update(name, POSTPONE);
    return found.map(({ name, owner, ttl, renewed }) => ({
      lock: name,
      content: owner,
      token: owner,
      ttlMs: ttl,
      renewed: renewed === 1,
    }));
  }

  /** The row stays, expired; a waiter may delete it. */
  end(lock: string): Promise<boolean> {
    return this.update(lock, EXPIRE);
  }

  /** False when a transaction has locked the row. */
  private async update(lock: string, statement: string): Promise<boolean> {
    await this.admin.beginTransaction();
    const [rows] = await this.admin.query<RowDataPacket[]>(
      `SELECT name FROM ${LOCK_TABLE} WHERE name = ? FOR UPDATE SKIP LOCKED`,
      [lock],
    );
    await this.admin.query(statement, [[null, ...rows.map((row) => (row as { name: string }).name)]]);
    await this.admin.commit();
    return rows.length > 0;
  }

  async clear(): Promise<void> {
    await this.admin.query(`DELETE FROM ${LOCK_TABLE}`);
  }
}

/** Locks that are directories. */
export class DirectoryLockStore implements LockStore {
  readonly name = 'directory';
  readonly pipelined = false;

  constructor(private readonly folder: string) {}

  touchedBy({ kind }: StepInfo): boolean {
    return kind === 'fs';
  }

  async read(): Promise<readonly LockReading[]> {
    const readings: LockReading[] = [];
    for (const lock of await readdir(this.folder)) {
      const { birthtimeMs, ino } = await stat(join(this.folder, lock));
      readings.push({ lock, content: `${ino} ${birthtimeMs}`, ttlMs: -1 });
    }
    return readings;
  }

  /** A directory has no expiry. */
  end(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async clear(): Promise<void> {
    for (const lock of await readdir(this.folder)) await rmdir(join(this.folder, lock));
  }
}
