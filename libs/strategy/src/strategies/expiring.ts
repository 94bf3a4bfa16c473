import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { lockKey, withLock } from '../shared/with-lock';

export const expiring: Strategy = {
  name: 'expiring',
  mechanism: 'SET NX PX creates the key with its time to live in one command. DEL releases it.',
  defect:
    'When work outlives the lease, a second holder enters. The first then deletes the lock of the second, and a third enters.',
  source: 'Redis documentation, SET ("patterns"); the A-B-C problem of the articles.',
  next: {
    strategy: 'token-checked',
    why: 'stores a unique token in the key, and checks it before it deletes.',
  },
  options: ['leaseMs', 'waitMs', 'retryMs', 'workMs'],
  lacks: ['survivesLapse', 'survivesSlowWork', 'noticesLoss', 'releasesOnlyItsOwn'],
  expected: {
    'work-outlives-lease': { must: ['oversold', 'lost-update', 'overlap', 'foreign-release'], may: [] },
    'paused-before-release': { must: ['foreign-release'], may: ['overlap', 'oversold', 'lost-update'] },
    'paused-before-write': { must: ['overlap', 'lost-update'], may: ['oversold', 'foreign-release'] },
  },

  apply(change, tools) {
    const { redis, options } = tools;
    const key = lockKey(change.balance, 'expiring');
    const lock = {
      key,
      tryAcquire: async () => (await redis.set(key, 'locked', 'PX', options.leaseMs, 'NX')) === 'OK',
      release: () => redis.del(key),
    };
    return withLock(lock, tools, () => readModifyWrite(change, tools));
  },
};
