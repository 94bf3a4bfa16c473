import type { Tools } from '../contract';
import { LockLost } from './errors';
import { acquireReentrant, releaseReentrant, run } from './scripts';
import type { Lock } from './with-lock';

/**
 * A lock that its owner can take again: a hash {owner: how often}. A call inside another one says so by `held`, and
 * throws `LockLost` when the lock has ended meanwhile: what looks like a first time would be a second holder.
 */
export const reentrantLock = (
  key: string,
  owner: string,
  { redis, options }: Pick<Tools, 'redis' | 'options'>,
  held = 0,
): Lock => ({
  key,
  tryAcquire: async () => {
    const times = Number(await run(redis, acquireReentrant, key, owner, options.leaseMs, held));
    if (times < 0) throw new LockLost(key);
    return times > 0;
  },
  release: (notify = 'broadcast') => run(redis, releaseReentrant, key, owner, notify),
  notifies: held === 0, // a call inside another one waits for nobody, and frees nothing
});
