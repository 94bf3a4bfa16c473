import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { lockKey, withLock } from '../shared/with-lock';

export const setnxExpireAll: Strategy = {
  name: 'setnx-expire-all',
  mechanism: 'SETNX, then PEXPIRE whatever SETNX said; DEL in finally releases the key.',
  defect:
    "Losers prolong the winner's lock: a dead holder's never ends while anyone tries more often than once a lease. The same command heals the key that setnx-expire leaves without expiry.",
  source: 'A published slip: the EXPIRE outside of the if of an article on SETNX.',
  next: 'setnx-expire lets only the winner set the expiry.',
  options: ['leaseMs', 'waitMs', 'retryMs', 'workMs'],
  lacks: [
    'survivesDeadHolder',
    'survivesLapse',
    'survivesSlowWork',
    'noticesLoss',
    'releasesOnlyItsOwn',
    'losersTouchNothing',
  ],
  expected: {
    'one-replica': { must: ['foreign-renewal'], may: [] },
    replicas: { must: ['foreign-renewal'], may: [] },
    'holder-killed': { must: ['foreign-renewal'], may: [] },
    'work-outlives-lease': { must: ['foreign-renewal'], may: [] },
  },

  apply(change, tools) {
    const { redis, options } = tools;
    const key = lockKey(change.balance, 'setnx-expire-all');
    const lock = {
      key,
      tryAcquire: async () => {
        const created = await redis.setnx(key, 'locked');
        await redis.pexpire(key, options.leaseMs);
        return created === 1;
      },
      release: () => redis.del(key),
    };
    return withLock(lock, tools, () => readModifyWrite(change, tools));
  },
};
