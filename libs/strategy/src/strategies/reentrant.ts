import { randomUUID } from 'node:crypto';
import type { Strategy } from '../contract';
import { Lease } from '../shared/lease';
import { readModifyWrite } from '../shared/read-modify-write';
import { reentrantLock } from '../shared/reentrant-lock';
import { lockKey, withLock, type Lock } from '../shared/with-lock';

export const reentrant: Strategy = {
  name: 'reentrant',
  mechanism:
    'A hash {owner: count}, updated by Lua scripts, with one owner per request. The sale acquires the lock, a nested call acquires it again, and the last release deletes it.',
  defect:
    'Nested calls work, where a plain lock would wait for itself. Work that outlives the lease sells nothing: a nested call and a local deadline both detect the loss of the lock. A pause, or a slow statement, after the check of the deadline still leads to two writers.',
  source: 'Redisson, RLock; java.util.concurrent.locks.ReentrantLock.',
  next: { strategy: 'fenced', why: 'makes the database refuse the stale write.' },
  options: ['leaseMs', 'waitMs', 'wait', 'retryMs', 'workMs'],
  lacks: ['survivesLapse', 'survivesSlowWork'],
  expected: {
    'paused-before-write': { must: ['overlap', 'lost-update'], may: ['oversold'] },
  },

  async apply(change, tools) {
    const key = lockKey(change.balance, 'reentrant');
    const owner = randomUUID();
    const lease = new Lease(key, tools.options.leaseMs, tools.clock);
    const withLease = (lock: Lock): Lock => ({
      ...lock,
      tryAcquire: () => lease.grant(() => lock.tryAcquire()),
    });
    const sell = withLease(reentrantLock(key, owner, tools));
    const deduct = withLease(reentrantLock(key, owner, tools, 1));
    try {
      return await withLock(sell, tools, () =>
        withLock(deduct, tools, () => readModifyWrite(change, tools, lease.lost)),
      );
    } finally {
      lease.end();
    }
  },
};
