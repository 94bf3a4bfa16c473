import type { Component } from '#lab/step';
import type { Capability, Strategy } from '#lab/strategy';
import type { Redis } from 'ioredis';
import type { DataSource } from 'typeorm';

/** The clients that a lock is made from. Commands that it sends over other clients are not seen by the explorer. */
export interface Clients {
  readonly redis: Redis;
  /** TypeORM's data source of a MySQL or MariaDB database. */
  readonly sql: DataSource;
  /** Independent Redis servers, for locks that need a majority: only with `needs: ['redlock']`. */
  readonly redises: readonly Redis[];
}

/** What a lock receives with each request; all times are in milliseconds. */
export interface AcquireOptions {
  readonly leaseMs: number;
  readonly waitMs: number;
}

/** A lock of your own. */
export interface OwnLock<Handle = unknown> {
  /**
   * Resolves with a handle when the lock was obtained within `waitMs`, otherwise with undefined, null or false. A handle may
   * have a `signal: AbortSignal` that is aborted when the lock is lost.
   */
  acquire(resource: string, options: AcquireOptions): Promise<Handle | undefined | null | false>;
  release(handle: Handle): unknown;
  /** Extends the lease to `leaseMs` from now: called after the work, right before the write, if it exists. False: the lock is lost. */
  extend?(handle: Handle, leaseMs: number): boolean | Promise<boolean>;
  /** Whether the lock is still held: asked right before the write, if it exists. */
  isHeld?(handle: Handle): boolean | Promise<boolean>;
}

/** Makes a lock for one request. What the requests of a process share belongs into variables of the module. */
export type CreateLock = (clients: Clients) => OwnLock | Promise<OwnLock>;

/** What a file may export besides its lock. */
export interface Declared {
  /** The promises that it does not make. Absent: it makes no statement, and every broken promise is reported. */
  readonly lacks?: readonly Capability[];
  readonly needs?: readonly Component[];
}

/** The strategy of a user's file. */
export interface OwnStrategy {
  readonly strategy: Strategy;
  /** The file says which promises it does not make: others that are broken are regressions. */
  readonly isDeclared: boolean;
}
