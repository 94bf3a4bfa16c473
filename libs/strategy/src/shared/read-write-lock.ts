import type { Tools } from '../contract';
import { UpgradeRefused } from './errors';
import { acquireWrite, joinReaders, releaseIfOwner, run } from './scripts';
import { lockKey, type Lock } from './with-lock';

/** One lock with two sides: many may read at a time, or one may write. */
interface ReadWriteLock {
  readonly read: Lock;
  /** Throws `UpgradeRefused` when `owner` is among the readers: it would wait for itself. */
  readonly write: Lock;
}

export const readersKey = (balance: string): string => `readers:{${balance}}`;
export const waitingKey = (balance: string): string => `writer-waits:{${balance}}`;

/** The lock as `owner` sees it: a name that is nobody else's. */
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
        // set anew at each try, and lasts until the next one; soon gone when its writer is
        const mark = Math.min(waitMs, Math.max(leaseMs, 2 * retryMs));
        const taken = Number(await run(redis, acquireWrite, keys, owner, leaseMs, mark));
        if (taken < 0) throw new UpgradeRefused(key);
        return taken === 1;
      },
      release: () => run(redis, releaseIfOwner, key, owner),
    },
  };
}
