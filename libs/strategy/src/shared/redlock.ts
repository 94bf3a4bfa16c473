import { ACQUIRES_IF_FREE, RELEASES_IF_OWNER } from '#lab/step';
import type { Redis } from 'ioredis';
import Redlock from 'redlock';
import { defineScript } from './scripts';

type Callback = (error: unknown, reply?: unknown) => void;

/** A lock that a majority has granted, valid until `expiration` (Date.now), which allows for clock drift. */
export type RedlockLock = Redlock.Lock;

/**
 * redlock 4.2 for ioredis, without its retries: the strategy retries. Two gaps are bridged: its types are those of 4.0,
 * which used `eval` only; and ioredis answers a call with a callback directly, so that the seam would not see the reply.
 */
export class RedlockClient {
  private readonly redlock: Redlock;
  /** The errors of this try, by server. */
  private readonly failures = new Map<Redis, unknown>();

  constructor(private readonly voters: readonly Redis[]) {
    const clients = voters.map((voter) =>
      this.withCallbacks(voter),
    ) as unknown as Redlock.CompatibleRedisClient[];
    this.redlock = new Redlock(clients, { retryCount: 0 });
  }

  /**
   * Undefined when no majority granted it in time. Throws a server's error when a majority fails: the library's LockError
   * says only that there is no lock.
   */
  async tryLock(key: string, leaseMs: number): Promise<RedlockLock | undefined> {
    this.failures.clear();
    try {
      return await this.redlock.lock(key, leaseMs);
    } catch (error) {
      if (this.failures.size > this.voters.length / 2) throw [...this.failures.values()][0];
      if (error instanceof Redlock.LockError) return undefined;
      throw error;
    }
  }

  private withCallbacks(voter: Redis) {
    const forward = (reply: Promise<unknown>, done: Callback): void =>
      void reply.then(
        (value) => {
          done(null, value);
        },
        (error: unknown) => {
          this.failures.set(voter, error);
          done(error);
        },
      );
    return {
      evalsha: (sha: string, [keys, ...args]: [number, ...string[]], done: Callback) => {
        forward(voter.evalsha(sha, keys, ...args), done);
      },
      eval: ([text, keys, ...args]: [string, number, ...string[]], done: Callback) => {
        forward(voter.eval(text, keys, ...args), done);
      },
    };
  }
}

/** The library's scripts: loaded at every connect, and shown by name in every step. */
interface Internals {
  readonly lockScript: string;
  readonly unlockScript: string;
}
const { lockScript, unlockScript } = new Redlock([{ eval: () => undefined }]) as unknown as Internals;
defineScript('acquire-redlock', lockScript, ACQUIRES_IF_FREE);
defineScript('release-redlock', unlockScript, RELEASES_IF_OWNER);
