import { randomUUID } from 'node:crypto';
import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { lockKey, withLock } from '../shared/with-lock';

export const mysqlLockTableTtl: Strategy = {
  name: 'mysql-lock-table-ttl',
  mechanism:
    'As mysql-lock-table, with a time at which a row expires: whoever finds one that has sweeps it away, by DELETE … WHERE expires_at <= NOW(), and tries again.',
  defect:
    'A dead holder holds nobody up for longer than the lease, and the problem of every lease is back: work that outlives it has two holders, and oversells.',
  source: 'The "expiry column and a cleaning job" advice of the articles; ShedLock has such a table.',
  next: 'mysql-named-lock needs no lease: it is freed when the connection of its holder dies.',
  options: ['leaseMs', 'waitMs', 'retryMs', 'workMs'],
  lacks: ['survivesLapse', 'survivesSlowWork', 'noticesLoss'],
  expected: {
    'work-outlives-lease': { must: ['oversold', 'lost-update'], may: [] },
    'paused-before-write': { must: ['lost-update'], may: ['oversold'] },
  },

  apply(change, tools) {
    const { lockRows } = tools.balances;
    const key = lockKey(change.balance, 'mysql-lock-table-ttl');
    const owner = randomUUID();
    const insert = (): Promise<boolean> => lockRows.insert(key, owner, tools.options.leaseMs);
    const lock = {
      key,
      tryAcquire: async () => (await insert()) || ((await lockRows.sweep(key)) && (await insert())),
      release: () => lockRows.delete(key, owner),
    };
    return withLock(lock, tools, () => readModifyWrite(change, tools));
  },
};
