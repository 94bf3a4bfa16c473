import type { Component, StepInfo, SteppedRedis } from '#lab/step';
import { readdir, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { readLocks, restoreLeases } from './read-locks';
import type { ActorConnections } from './actor-connections';

/** A lock as its server has it. */
export interface LockReading {
  /** The lock's own name, `lock:{item}:setnx`: the same in every place that has a part of it. */
  readonly lock: string;
  /** Distinguishes one holding of it from the next: a hash of the value, the owner, the number of the node. */
  readonly content: string;
  /**
   * What its holder has written into it. It is the lock of the actor that has this name, or that has named this token
   * first; otherwise of the actor whose step was seen to put it there.
   */
  readonly token?: string;
  /** Milliseconds to live; -1: for ever. */
  readonly ttlMs: number;
  /**
   * It is the head of a queue: who comes next has it when it goes. It lives as long as its request asked for, or its
   * session does, whatever `ttlMs` says.
   */
  readonly queued?: true;
  /** Its time to live was set by the step behind which this was read. */
  readonly renewed?: boolean;
}

/** When lock keys expire, by their names. */
type Expiries = ReadonlyMap<string, number>;

/** Where locks live: the keys of a Redis, the rows of a table. The explorer looks at it behind every step that may change it. */
export interface LockStore {
  /** Stands before the names of its locks where people read them; empty for the lab's own Redis. */
  readonly name: string;
  /** Only the strategies that need this component are looked at here; absent: all. */
  readonly component?: Component | undefined;
  /** True when `read` is to be sent right behind the command on the same connection; otherwise it waits for the answer. */
  readonly pipelined: boolean;
  /** A lock here lives as long as the session of its owner's process, which beats while the process runs. */
  readonly heartbeats?: boolean;
  /** Whether the step may change locks here. */
  touchedBy(step: StepInfo): boolean;
  /** Whether the step, where it succeeds, prolongs its actor's lock without leaving a trace that `read` finds. */
  renewedBy?(step: StepInfo): boolean;
  /** The server ends the session of a process: what was made in it goes. Its owner is not told. */
  endSession?(connections: ActorConnections): Promise<void>;
  /**
   * Sent right before a step, where `read` is sent right behind it: the step finds each lock with what is left of its lease
   * in virtual time, `leases` in milliseconds. Absent: no code looks at that here.
   */
  restore?(connections: ActorConnections, leases: ReadonlyMap<string, number>): Promise<Expiries>;
  /** Every lock here, as `seat` finds it. After it real time cannot end one until the next step. `before`: see `restore`. */
  read(connections?: ActorConnections, before?: Promise<Expiries>): Promise<readonly LockReading[]>;
  /** The lease of a lock ends. False when a transaction has it, so that nobody could see it end before that is over. */
  end(lock: string): Promise<boolean>;
  /** No lock is left. */
  clear(): Promise<void>;
}

/** As people read it: the place, where it is not the lab's own Redis, and the lock. */
export const shownLock = (store: string, lock: string): string => (store === '' ? lock : `${store} ${lock}`);

/** The lock keys of a Redis. */
export class RedisLockStore implements LockStore {
  readonly pipelined = true;

  constructor(
    readonly name: string,
    private readonly admin: SteppedRedis,
    /** An actor's own connection to this Redis. */
    private readonly of: (connections: ActorConnections) => SteppedRedis,
    readonly component?: Component,
  ) {}

  touchedBy({ kind, verb, server = '' }: StepInfo): boolean {
    return kind === 'redis' && server === this.name && !READS.test(verb);
  }

  restore(connections: ActorConnections, leases: ReadonlyMap<string, number>): Promise<Expiries> {
    return restoreLeases(this.of(connections), leases);
  }

  async read(connections: ActorConnections, before: Promise<Expiries>): Promise<readonly LockReading[]> {
    const [found, expiries] = await Promise.all([readLocks(this.of(connections)), before]);
    return found.map(([lock, content, ttlMs, expiry, token]) => ({
      lock,
      content,
      ttlMs,
      token,
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

/** Redis commands that change nothing. */
const READS = /^(GET|MGET|EXISTS|TTL|PTTL|HGET|HGETALL|TIME|WAIT|SUBSCRIBE|UNSUBSCRIBE)$/;

/** The time to which rows are put off: later than any schedule ends. */
const NOT_NOW = "'2037-01-01'";
const PUT_OFF = `UPDATE balance_lock SET expires_at = ${NOT_NOW} WHERE name IN (?)`;
const EXPIRE = 'UPDATE balance_lock SET expires_at = NOW(6) - INTERVAL 1 SECOND WHERE name IN (?)';

const READ_ROWS = `
  SELECT name, owner,
         COALESCE(TIMESTAMPDIFF(MICROSECOND, NOW(6), expires_at) DIV 1000, -1) AS ttl,
         COALESCE(expires_at <> ${NOT_NOW}, 0) AS renewed
    FROM balance_lock WHERE expires_at IS NULL OR expires_at > NOW(6)`;

/** The rows of `balance_lock`, as far as they have not expired. */
export class RowLockStore implements LockStore {
  readonly name = 'row';
  readonly pipelined = false;

  constructor(private readonly admin: Connection) {}

  touchedBy({ kind, verb, text }: StepInfo): boolean {
    return kind === 'sql' && verb !== 'SELECT' && text.includes('balance_lock');
  }

  async read(): Promise<readonly LockReading[]> {
    const [rows] = await this.admin.query<RowDataPacket[]>(READ_ROWS);
    const found = rows as { name: string; owner: string; ttl: number; renewed: number }[];
    for (const { name, renewed } of found) if (renewed === 1) await this.update(name, PUT_OFF);
    return found.map(({ name, owner, ttl, renewed }) => ({
      lock: name,
      content: owner,
      token: owner,
      ttlMs: ttl,
      renewed: renewed === 1,
    }));
  }

  /** The row stays: it has expired, and whoever wants the lock may sweep it away. */
  end(lock: string): Promise<boolean> {
    return this.update(lock, EXPIRE);
  }

  /** False when a transaction has the row. */
  private async update(lock: string, statement: string): Promise<boolean> {
    await this.admin.beginTransaction();
    const [rows] = await this.admin.query<RowDataPacket[]>(
      'SELECT name FROM balance_lock WHERE name = ? FOR UPDATE SKIP LOCKED',
      [lock],
    );
    await this.admin.query(statement, [[null, ...rows.map((row) => (row as { name: string }).name)]]);
    await this.admin.commit();
    return rows.length > 0;
  }

  async clear(): Promise<void> {
    await this.admin.query('DELETE FROM balance_lock');
  }
}

/** The directories of a folder. */
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

  /** A directory has no time to live. */
  end(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async clear(): Promise<void> {
    for (const lock of await readdir(this.folder)) await rmdir(join(this.folder, lock));
  }
}
