import type { Redis } from 'ioredis';
import Redlock from 'redlock';
import { theirScript } from './scripts';

type Done = (error: unknown, reply?: unknown) => void;

/** A lock that a majority has granted: until `expiration` (Date.now), the drift of the servers' clocks taken off. */
export type RedlockLock = Redlock.Lock;

/**
 * redlock 4.2 for ioredis: one try a call, so that trying again is the strategy's own business. Its types are those of
 * 4.0, which knew `eval` only; and ioredis settles a node-style call by its own command, past the seam: both are bridged here.
 */
export class RedlockClient {
  private readonly redlock: Redlock;
  /** What the servers said that failed in this try. */
  private readonly failed = new Map<Redis, unknown>();

  constructor(private readonly voters: readonly Redis[]) {
    const clients = voters.map((voter) =>
      this.nodeStyle(voter),
    ) as unknown as Redlock.CompatibleRedisClient[];
    this.redlock = new Redlock(clients, { retryCount: 0 });
  }

  /**
   * Undefined when no majority granted it in time. Throws what the servers said when a majority does not answer:
   * the library's LockError says only that there is no lock.
   */
  async tryLock(key: string, leaseMs: number): Promise<RedlockLock | undefined> {
    this.failed.clear();
    try {
      return await this.redlock.lock(key, leaseMs);
    } catch (error) {
      if (this.failed.size > this.voters.length / 2) throw [...this.failed.values()][0];
      if (error instanceof Redlock.LockError) return undefined;
      throw error;
    }
  }

  private nodeStyle(voter: Redis) {
    const answer = (reply: Promise<unknown>, done: Done): void =>
      void reply.then(
        (value) => {
          done(null, value);
        },
        (error: unknown) => {
          this.failed.set(voter, error);
          done(error);
        },
      );
    return {
      evalsha: (sha: string, [keys, ...args]: [number, ...string[]], done: Done) => {
        answer(voter.evalsha(sha, keys, ...args), done);
      },
      eval: ([text, keys, ...args]: [string, number, ...string[]], done: Done) => {
        answer(voter.eval(text, keys, ...args), done);
      },
    };
  }
}

/** The library's own scripts: loaded at every connect, and named in every step. */
interface Internals {
  readonly lockScript: string;
  readonly unlockScript: string;
}
const { lockScript, unlockScript } = new Redlock([{ eval: () => undefined }]) as unknown as Internals;
theirScript('acquire-redlock', lockScript);
theirScript('release-redlock', unlockScript);
