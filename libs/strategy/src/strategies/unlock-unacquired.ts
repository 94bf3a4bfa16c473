import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { acquire, lockKey, release } from '../shared/with-lock';

export const unlockUnacquired: Strategy = {
  name: 'unlock-unacquired',
  mechanism:
    'SET NX PX and DEL, with the acquisition inside the try: finally releases the lock even if it was not acquired.',
  defect: 'A waiter that gives up deletes the lock of the holder, and the next buyer enters.',
  source:
    'A published mistake: the recursion of an article whose inner call unlocks what the outer one locked.',
  next: { strategy: 'expiring', why: 'acquires before the try.' },
  options: ['leaseMs', 'waitMs', 'retryMs', 'workMs'],
  lacks: ['survivesLapse', 'survivesSlowWork', 'noticesLoss', 'releasesOnlyItsOwn', 'losersTouchNothing'],
  expected: {
    'one-replica': { must: [], may: ['oversold', 'lost-update', 'overlap', 'foreign-release'] },
    replicas: { must: [], may: ['oversold', 'lost-update', 'overlap', 'foreign-release'] },
    'waiters-give-up': { must: ['oversold', 'lost-update', 'overlap', 'foreign-release'], may: [] },
    'work-outlives-lease': { must: ['oversold', 'lost-update', 'overlap', 'foreign-release'], may: [] },
  },

  async apply(change, tools) {
    const { redis, options } = tools;
    const key = lockKey(change.balance, 'unlock-unacquired');
    const lock = {
      key,
      tryAcquire: async () => (await redis.set(key, 'locked', 'PX', options.leaseMs, 'NX')) === 'OK',
      release: () => redis.del(key),
    };
    try {
      await acquire(lock, tools);
      return await readModifyWrite(change, tools);
    } finally {
      await release(lock, tools);
    }
  },
};
