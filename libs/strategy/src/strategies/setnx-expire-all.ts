import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { lockKey, withLock } from '../shared/with-lock';

export const setnxExpireAll: Strategy = {
  name: 'setnx-expire-all',
  mechanism: 'SETNX, then PEXPIRE regardless of the result of SETNX. DEL in finally releases the key.',
  defect:
    "Each failed try extends the holder's lock: a dead holder's lock, or one whose release failed, never ends while waiters try more often than once per lease. On the other hand, the next try repairs the key that setnx-expire leaves without an expiry.",
  source: 'A published mistake: the EXPIRE outside of the if in an article on SETNX.',
  next: { strategy: 'setnx-expire', why: 'lets only the holder set the expiry.' },
  options: ['leaseMs', 'waitMs', 'retryMs', 'workMs'],
  lacks: [
    'survivesDeadHolder',
    'survivesLapse',
    'survivesSlowWork',
    'noticesLoss',
    'releasesOnlyItsOwn',
    'grantsOneLease',
    'losersTouchNothing',
    'renewsOnlyItsOwn',
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
