import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { lockKey, withLock } from '../shared/with-lock';

export const setnxExpire: Strategy = {
  name: 'setnx-expire',
  mechanism: 'SETNX, followed by PEXPIRE if it succeeded. DEL in finally releases the key.',
  defect:
    'A holder that is killed between the two commands leaves a key without an expiry, which blocks all others forever. After a restart of Redis between the two, PEXPIRE extends the lock of another holder.',
  source: 'The "give the lock an expiry" step of the articles; Redis documentation, SETNX.',
  next: { strategy: 'lua', why: 'sends both in one script; expiring needs only one command.' },
  options: ['leaseMs', 'waitMs', 'retryMs', 'workMs'],
  lacks: [
    'survivesDeadHolder',
    'survivesLapse',
    'survivesSlowWork',
    'noticesLoss',
    'releasesOnlyItsOwn',
    'grantsOneLease',
    'renewsOnlyItsOwn',
  ],
  expected: {
    'holder-killed': { must: ['stuck'], may: [] },
    'work-outlives-lease': {
      must: ['oversold', 'lost-update', 'overlap', 'foreign-release'],
      may: ['foreign-renewal'],
    },
    'paused-before-release': {
      must: ['foreign-release'],
      may: ['overlap', 'oversold', 'lost-update', 'foreign-renewal'],
    },
    'paused-before-write': {
      must: ['overlap', 'lost-update'],
      may: ['oversold', 'foreign-release', 'foreign-renewal'],
    },
  },

  apply(change, tools) {
    const { redis, options } = tools;
    const key = lockKey(change.balance, 'setnx-expire');
    const lock = {
      key,
      tryAcquire: async () => {
        if ((await redis.setnx(key, 'locked')) === 0) return false;
        await redis.pexpire(key, options.leaseMs);
        return true;
      },
      release: () => redis.del(key),
    };
    return withLock(lock, tools, () => readModifyWrite(change, tools));
  },
};
