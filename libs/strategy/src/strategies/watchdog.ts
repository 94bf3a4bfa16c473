import { randomUUID } from 'node:crypto';
import type { Strategy } from '../contract';
import { Lease } from '../shared/lease';
import { readModifyWrite } from '../shared/read-modify-write';
import { releaseIfOwner, renewIfOwner, run } from '../shared/scripts';
import { lockKey, withLock, type Notify } from '../shared/with-lock';

/** However long the work takes: after so many leases nobody renews any more. */
const MOST_LEASES = 10;

export const watchdog: Strategy = {
  name: 'watchdog',
  mechanism:
    'As token-lua, and a timer renews the lease every third of it, if still owner; the loss of the lock is known from a local deadline.',
  defect:
    'A paused process pauses its watchdog too: a statement that leaves after the deadline was checked lands behind the next holder. Nothing is renewed for longer than ten leases: work that takes longer is told that its lock is lost, and sells nothing.',
  source: 'Redisson, lock watchdog; Kleppmann, "How to do distributed locking", 2016, for the pause.',
  next: 'fenced lets the database refuse the stale write.',
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
        MOST_LEASES * leaseMs,
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
