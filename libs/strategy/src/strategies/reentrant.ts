import { randomUUID } from 'node:crypto';
import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { reentrantLock } from '../shared/reentrant-lock';
import { lockKey, withLock } from '../shared/with-lock';

export const reentrant: Strategy = {
  name: 'reentrant',
  mechanism:
    'A hash {owner: count} in Lua, the owner a name of the request: the sale takes the lock, and a call inside it takes it again; the last release deletes it.',
  defect:
    'Nested calls work where a plain lock waits for itself. Work that outlives the lease still has two holders; a nested call notices when the lock is gone, a read or write does not.',
  source: 'Redisson, RLock; java.util.concurrent.locks.ReentrantLock.',
  next: 'fenced closes what re-entry does not touch: work that outlives the lease.',
  options: ['leaseMs', 'waitMs', 'wait', 'retryMs', 'workMs'],
  lacks: ['survivesLapse', 'survivesSlowWork', 'noticesLoss'],
  expected: {
    'work-outlives-lease': { must: ['oversold', 'lost-update', 'overlap'], may: [] },
    'paused-before-write': { must: ['overlap', 'lost-update'], may: ['oversold'] },
  },

  apply(change, tools) {
    const key = lockKey(change.balance, 'reentrant');
    const owner = randomUUID();
    const sell = reentrantLock(key, owner, tools);
    const deduct = reentrantLock(key, owner, tools, 1);
    return withLock(sell, tools, () => withLock(deduct, tools, () => readModifyWrite(change, tools)));
  },
};
