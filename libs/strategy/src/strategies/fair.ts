import type { Strategy } from '../contract';
import { LockNotObtained } from '../shared/errors';
import { Lease } from '../shared/lease';
import { readModifyWrite } from '../shared/read-modify-write';
import { acquireFair, releaseFair, run } from '../shared/scripts';
import { lockKey, release } from '../shared/with-lock';

const queueKey = (balance: string): string => `line:{${balance}}:fair`;
const waitersKey = (balance: string): string => `alive:{${balance}}:fair`;

/** Tries of a waiter per lease. Each try also extends its deadline in the queue. */
const TRIES_PER_LEASE = 3;

export const fair: Strategy = {
  name: 'fair',
  mechanism:
    'Waiters queue in Redis. The release hands the lock to the first live waiter, and notifies only that one.',
  defect:
    'First come, first served, with two commands per waiter. A waiter that is dead, or paused for a lease, loses its position. Work that outlives the lease sells nothing, because of a local deadline; a pause, or a slow statement, after the check of the deadline still leads to two writers.',
  source:
    'Redisson, RedissonFairLock; Mellor-Crummey and Scott, "Algorithms for scalable synchronization", 1991.',
  next: { strategy: 'fenced', why: 'makes the database refuse the stale write.' },
  options: ['leaseMs', 'waitMs', 'workMs'],
  keys: (balance) => [queueKey(balance), waitersKey(balance)],
  lacks: ['survivesLapse', 'survivesSlowWork'],
  expected: {
    'paused-before-write': { must: ['overlap', 'lost-update'], may: ['oversold'] },
  },

  async apply(change, tools) {
    const { redis, clock, process } = tools;
    const { leaseMs, waitMs } = tools.options;
    const key = lockKey(change.balance, 'fair');
    const keys = [key, queueKey(change.balance), waitersKey(change.balance)] as const;
    const turn = await process.turns.create();
    const tryAcquire = async (): Promise<boolean> =>
      (await run(redis, acquireFair, keys, turn.token, leaseMs, clock.serverTime())) === 1;
    const releaseOrLeave = (): Promise<unknown> =>
      run(redis, releaseFair, keys, turn.token, clock.serverTime());

    const lease = new Lease(key, leaseMs, clock);
    const begun = clock.now();
    let notYetHeld = begun; // a hand-over happens later than this, and starts the lease
    try {
      for (let attempts = 1; !turn.isGranted; attempts++) {
        const sentAt = clock.now();
        if (await tryAcquire()) break;
        notYetHeld = sentAt;
        const waited = clock.now() - begun;
        if (waited >= waitMs) throw new LockNotObtained(key, attempts, waited);
        await clock.waitFor(turn.event, Math.min(leaseMs / TRIES_PER_LEASE, waitMs - waited), key);
        turn.event.consume();
      }
      lease.runsFrom(notYetHeld);
      return await readModifyWrite(change, tools, lease.lost);
    } finally {
      lease.end();
      turn.cancel();
      await release({ key, tryAcquire, release: releaseOrLeave }, tools); // a waiter that gave up leaves the queue
    }
  },
};
