import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { acquire, lockKey, release } from '../shared/with-lock';

export const setnxCatch: Strategy = {
  name: 'setnx-catch',
  mechanism:
    'SETNX creates the key for one caller only. DEL is in the catch block instead of the finally block.',
  defect: 'A successful sale never releases the lock: one unit is sold, and all other buyers wait in vain.',
  source: 'A published mistake: the DEL in the catch block of an article on SETNX.',
  next: { strategy: 'setnx', why: 'releases in finally.' },
  options: ['waitMs', 'retryMs', 'workMs'],
  lacks: [
    'survivesDeadHolder',
    'survivesLapse',
    'releasesOnlyItsOwn',
    'releasesAfterSale',
    'survivesFailedRelease',
    'grantsOneLease',
  ],
  expected: {
    'one-replica': { must: ['stuck'], may: [] },
    replicas: { must: ['stuck'], may: [] },
    'holder-killed': { must: ['stuck'], may: [] },
  },

  async apply(change, tools) {
    const { redis } = tools;
    const key = lockKey(change.balance, 'setnx-catch');
    const lock = {
      key,
      tryAcquire: async () => (await redis.setnx(key, 'locked')) === 1,
      release: () => redis.del(key),
    };
    await acquire(lock, tools);
    try {
      return await readModifyWrite(change, tools);
    } catch (error) {
      await release(lock, tools);
      throw error;
    }
  },
};
