import type { Tools } from '../contract';
import { LockLost } from './errors';
import { acquireReentrant, releaseReentrant, run } from './scripts';
import type { Lock } from './with-lock';

/**
 * A lock that its owner can acquire again: a hash {owner: count}. A nested call passes in `held` how often the owner holds
 * the lock already, and throws `LockLost` when the lock has ended: acquiring it afresh could admit a second holder.
 */
export const reentrantLock = (
  key: string,
  owner: string,
  { redis, options }: Pick<Tools, 'redis' | 'options'>,
  held = 0,
): Lock => ({
  key,
  tryAcquire: async () => {
    const count = Number(await run(redis, acquireReentrant, key, owner, options.leaseMs, held));
    if (count < 0) throw new LockLost(key);
    return count > 0;
  },
  release: (notify = 'broadcast') => run(redis, releaseReentrant, key, owner, notify),
  notifies: held === 0, // a nested call never waits, and its release does not free the lock
});
