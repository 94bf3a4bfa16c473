import { randomUUID } from 'node:crypto';
import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { releaseOnError } from '../shared/release-on-error';
import { lockKey, withLock } from '../shared/with-lock';

export const mysqlLockTable: Strategy = {
  name: 'mysql-lock-table',
  mechanism:
    'A table of locks: its primary key lets only one INSERT succeed. DELETE … WHERE owner = me releases the lock.',
  defect: 'A row has no lease: the row of a killed holder stays forever, and blocks all others.',
  source: 'The "lock in the database" chapter of the articles: a unique index as the lock.',
  next: { strategy: 'mysql-lock-table-ttl', why: 'lets rows expire.' },
  options: ['waitMs', 'retryMs', 'workMs'],
  lacks: ['survivesDeadHolder', 'survivesFailedRelease', 'grantsOneLease'],
  expected: { 'holder-killed': { must: ['stuck'], may: [] }, 'release-fails': { must: ['stuck'], may: [] } },

  apply(change, tools) {
    const { rows } = tools.sqlLocks;
    const key = lockKey(change.balance, 'mysql-lock-table');
    const owner = randomUUID();
    const lock = {
      key,
      tryAcquire: () => releaseOnError(lock, () => rows.insert(key, owner)),
      release: () => rows.delete(key, owner),
    };
    return withLock(lock, tools, () => readModifyWrite(change, tools));
  },
};
