import { randomUUID } from 'node:crypto';
import type { Strategy } from '../contract';
import { Lease } from '../shared/lease';
import { readModifyWrite } from '../shared/read-modify-write';
import { reentrantLock } from '../shared/reentrant-lock';
import { lockKey, withLock, type Lock } from '../shared/with-lock';

export const reentrant: Strategy = {
  name: 'reentrant',
  mechanism:
    'A hash {owner: count} in Lua, the owner a name of the request: the sale takes the lock, and a call inside it takes it again; the last release deletes it.',
  defect:
    'Nested calls work where a plain lock waits for itself. Work that outlives the lease is not sold: a nested call notices that the lock is gone, and so does a local deadline; a pause after the look at it still has two writers.',
  source: 'Redisson, RLock; java.util.concurrent.locks.ReentrantLock.',
  next: 'fenced lets the database refuse the stale write.',
  options: ['leaseMs', 'waitMs', 'wait', 'retryMs', 'workMs'],
  lacks: ['survivesLapse'],
  expected: {
    'paused-before-write': { must: ['overlap', 'lost-update'], may: ['oversold'] },
  },

  async apply(change, tools) {
    const key = lockKey(change.balance, 'reentrant');
    const owner = randomUUID();
    const lease = new Lease(key, tools.options.leaseMs, tools.clock);
    const timed = (lock: Lock): Lock => ({ ...lock, tryAcquire: () => lease.grant(() => lock.tryAcquire()) });
    const sell = timed(reentrantLock(key, owner, tools));
    const deduct = timed(reentrantLock(key, owner, tools, 1));
    try {
      return await withLock(sell, tools, () =>
        withLock(deduct, tools, () => readModifyWrite(change, tools, lease.lost)),
      );
    } finally {
      lease.end();
    }
  },
};
