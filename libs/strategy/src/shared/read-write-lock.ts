import type { Tools } from '../contract';
import { UpgradeRefused } from './errors';
import { acquireWrite, joinReaders, releaseIfOwner, run } from './scripts';
import { lockKey, type Lock } from './with-lock';

/** Many readers at a time, or one writer. */
interface ReadWriteLock {
  readonly read: Lock;
  /** Throws `UpgradeRefused` when `owner` is a reader: it would wait for itself. */
  readonly write: Lock;
}

export const readersKey = (balance: string): string => `readers:{${balance}}`;
export const waitingKey = (balance: string): string => `writer-waits:{${balance}}`;

/** The lock from the point of view of `owner`, a unique name. */
export function readWriteLock(
  balance: string,
  owner: string,
  { redis, options }: Pick<Tools, 'redis' | 'options'>,
): ReadWriteLock {
  const key = lockKey(balance, 'read-write');
  const readers = readersKey(balance);
  const keys = [key, readers, waitingKey(balance)] as const;
  const { leaseMs, waitMs, retryMs } = options;
  return {
    read: {
      key,
      tryAcquire: async () => (await run(redis, joinReaders, keys, owner, leaseMs)) === 1,
      release: () => redis.srem(readers, owner),
    },
    write: {
      key,
      tryAcquire: async () => {
        // refreshed by each try; expires soon after a writer that died
        const markMs = Math.min(waitMs, Math.max(leaseMs, 2 * retryMs));
        const reply = Number(await run(redis, acquireWrite, keys, owner, leaseMs, markMs));
        if (reply < 0) throw new UpgradeRefused(key);
        return reply === 1;
      },
      release: () => run(redis, releaseIfOwner, key, owner),
    },
  };
}
