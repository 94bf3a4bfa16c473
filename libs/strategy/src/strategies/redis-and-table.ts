import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { releaseOnError } from '../shared/release-on-error';
import { tokenLock } from '../shared/token-lock';
import { lockKey, withLock } from '../shared/with-lock';

export const redisAndTable: Strategy = {
  name: 'redis-and-table',
  mechanism:
    'The Redis lock of token-lua plus a row in a table of holders. A holder needs both, and releases both.',
  defect:
    'Exact even if the lease ends too early or Redis restarts empty, because the row still excludes others. But the row of a killed holder stays forever, and the lease does not help.',
  source: 'The "record the holder in the database as well" advice of the articles.',
  next: { strategy: 'mysql-lock-table', why: 'is the part of it that excludes others.' },
  options: ['leaseMs', 'waitMs', 'retryMs', 'workMs'],
  parts: 2,
  lacks: ['survivesDeadHolder', 'survivesFailedRelease', 'grantsOneLease'],
  expected: {
    'holder-killed': { must: ['stuck'], may: [] },
    'release-fails': { must: [], may: ['stuck'] }, // if the release of the row fails, not that of the Redis lock
    'work-outlives-lease': { must: ['overlap'], may: [] },
  },

  apply(change, tools) {
    const { rows } = tools.sqlLocks;
    const redisLock = tokenLock(lockKey(change.balance, 'redis-and-table'), tools);
    const { key, token: owner } = redisLock;
    const lock = {
      key,
      tryAcquire: async () => {
        if (!(await redisLock.tryAcquire())) return false;
        if (await releaseOnError(lock, () => rows.insert(key, owner))) return true;
        await redisLock.release();
        return false;
      },
      release: async () => {
        await rows.delete(key, owner);
        await redisLock.release();
      },
    };
    return withLock(lock, tools, () => readModifyWrite(change, tools));
  },
};
