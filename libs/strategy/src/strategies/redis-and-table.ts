import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { releaseOnError } from '../shared/release-on-error';
import { tokenLock } from '../shared/token-lock';
import { lockKey, withLock } from '../shared/with-lock';

export const redisAndTable: Strategy = {
  name: 'redis-and-table',
  mechanism:
    'A Redis lock as token-lua has it, and a row in a table of holders: both are needed to enter, both are given back.',
  defect:
    "Exact when the lease ends too early, or Redis restarts empty: the row still keeps others out. But a killed holder's row stays for ever, and the lease is of no help.",
  source: 'The "record the holder in the database as well" advice of the articles.',
  next: 'mysql-lock-table is the half of it that keeps others out.',
  options: ['leaseMs', 'waitMs', 'retryMs', 'workMs'],
  parts: 2,
  lacks: ['survivesDeadHolder', 'survivesFailedRelease', 'grantsOneLease'],
  expected: {
    'holder-killed': { must: ['stuck'], may: [] },
    'release-fails': { must: [], may: ['stuck'] }, // its row's release, not that of its Redis lock
    'work-outlives-lease': { must: ['overlap'], may: [] },
  },

  apply(change, tools) {
    const { lockRows } = tools.balances;
    const redisLock = tokenLock(lockKey(change.balance, 'redis-and-table'), tools);
    const { key, token: owner } = redisLock;
    const lock = {
      key,
      tryAcquire: async () => {
        if (!(await redisLock.tryAcquire())) return false;
        if (await releaseOnError(lock, () => lockRows.insert(key, owner))) return true;
        await redisLock.release();
        return false;
      },
      release: async () => {
        await lockRows.delete(key, owner);
        await redisLock.release();
      },
    };
    return withLock(lock, tools, () => readModifyWrite(change, tools));
  },
};
