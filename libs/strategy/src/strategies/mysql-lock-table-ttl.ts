import { randomUUID } from 'node:crypto';
import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { lockKey, withLock } from '../shared/with-lock';

export const mysqlLockTableTtl: Strategy = {
  name: 'mysql-lock-table-ttl',
  mechanism:
    'Like mysql-lock-table, with an expiry per row. A client that finds the lock taken deletes an expired row (DELETE … WHERE expires_at <= NOW()) and tries again.',
  defect:
    'A dead holder blocks others for one lease at most. But work that outlives the lease leads to two holders, and oversells.',
  source: 'The "expiry column and a cleaning job" advice of the articles; ShedLock uses such a table.',
  next: {
    strategy: 'mysql-named-lock',
    why: 'needs no lease: the server frees the lock when the connection of the holder ends.',
  },
  options: ['leaseMs', 'waitMs', 'retryMs', 'workMs'],
  lacks: ['survivesLapse', 'survivesSlowWork', 'noticesLoss'],
  expected: {
    'work-outlives-lease': { must: ['oversold', 'lost-update'], may: [] },
    'paused-before-write': { must: ['lost-update'], may: ['oversold'] },
  },

  apply(change, tools) {
    const { rows } = tools.sqlLocks;
    const key = lockKey(change.balance, 'mysql-lock-table-ttl');
    const owner = randomUUID();
    const insert = (): Promise<boolean> => rows.insert(key, owner, tools.options.leaseMs);
    const lock = {
      key,
      tryAcquire: async () => (await insert()) || ((await rows.sweep(key)) && (await insert())),
      release: () => rows.delete(key, owner),
    };
    return withLock(lock, tools, () => readModifyWrite(change, tools));
  },
};
