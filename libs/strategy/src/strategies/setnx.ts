import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { lockKey, withLock } from '../shared/with-lock';

export const setnx: Strategy = {
  name: 'setnx',
  mechanism: 'SETNX creates the key for one caller only. DEL in finally releases it.',
  defect: 'The key has no expiry: if the holder is killed, or its DEL fails, all others are blocked forever.',
  source: 'Redis documentation, SETNX ("design pattern: locking with SETNX", discouraged there).',
  next: { strategy: 'setnx-expire', why: 'gives the key a time to live.' },
  options: ['waitMs', 'retryMs', 'workMs'],
  lacks: [
    'survivesDeadHolder',
    'survivesLapse',
    'releasesOnlyItsOwn',
    'survivesFailedRelease',
    'grantsOneLease',
  ],
  expected: {
    'holder-killed': { must: ['stuck'], may: [] },
    'release-fails': { must: ['stuck'], may: [] },
  },

  apply(change, tools) {
    const { redis } = tools;
    const key = lockKey(change.balance, 'setnx');
    const lock = {
      key,
      tryAcquire: async () => (await redis.setnx(key, 'locked')) === 1,
      release: () => redis.del(key),
    };
    return withLock(lock, tools, () => readModifyWrite(change, tools));
  },
};
