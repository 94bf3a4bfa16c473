import { randomUUID } from 'node:crypto';
import type { Strategy } from '../contract';
import { Lease } from '../shared/lease';
import { readModifyWrite } from '../shared/read-modify-write';
import { releaseIfOwner, renewIfOwner, run } from '../shared/scripts';
import { lockKey, withLock, type Notify } from '../shared/with-lock';

/** After this many leases the lock is no longer renewed, so that work that hangs does not block others forever. */
const MAX_LEASES = 10;

export const watchdog: Strategy = {
  name: 'watchdog',
  mechanism:
    'Like token-lua, with a timer that renews the lease every third of it, if the token still matches. A local deadline detects the loss of the lock.',
  defect:
    'A paused process also pauses its watchdog: a statement that is sent after the check of the deadline arrives after the next holder has entered. A lock is renewed for at most ten leases: longer work loses its lock, and sells nothing.',
  source: 'Redisson, lock watchdog; Kleppmann, "How to do distributed locking", 2016, for the pause.',
  next: { strategy: 'fenced', why: 'makes the database refuse the stale write.' },
  options: ['leaseMs', 'waitMs', 'wait', 'retryMs', 'workMs'],
  lacks: ['survivesLapse'],
  expected: {
    'paused-before-write': { must: ['overlap', 'lost-update'], may: ['oversold'] },
  },

  async apply(change, tools) {
    const { redis, clock } = tools;
    const { leaseMs } = tools.options;
    const key = lockKey(change.balance, 'watchdog');
    const token = randomUUID();
    const lease = new Lease(key, leaseMs, clock);
    const lock = {
      key,
      tryAcquire: () => lease.grant(async () => (await redis.set(key, token, 'PX', leaseMs, 'NX')) === 'OK'),
      release: (notify: Notify) => run(redis, releaseIfOwner, key, token, notify),
      notifies: true,
    };

    return withLock(lock, tools, async () => {
      const stop = lease.keep(
        MAX_LEASES * leaseMs,
        async () => (await run(redis, renewIfOwner, key, token, leaseMs)) === 1,
      );
      try {
        return await readModifyWrite(change, tools, lease.lost);
      } finally {
        stop();
      }
    });
  },
};
