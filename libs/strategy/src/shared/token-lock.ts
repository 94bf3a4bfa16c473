import { randomUUID } from 'node:crypto';
import type { Tools } from '../contract';
import { releaseIfOwner, run } from './scripts';
import type { Lock } from './with-lock';

/** The lock of `token-lua` (SET NX PX, compare-and-delete in Lua), for strategies that demonstrate something else. */
export interface TokenLock extends Lock {
  /** The value of the key while we hold the lock. */
  readonly token: string;
}

export function tokenLock(key: string, { redis, options }: Pick<Tools, 'redis' | 'options'>): TokenLock {
  const token = randomUUID();
  return {
    key,
    token,
    tryAcquire: async () => (await redis.set(key, token, 'PX', options.leaseMs, 'NX')) === 'OK',
    release: (notify = 'broadcast') => run(redis, releaseIfOwner, key, token, notify),
    notifies: true,
  };
}
