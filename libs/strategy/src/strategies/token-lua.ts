import { randomUUID } from 'node:crypto';
import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { releaseIfOwner, run } from '../shared/scripts';
import { lockKey, withLock, type Notify } from '../shared/with-lock';

export const tokenLua: Strategy = {
  name: 'token-lua',
  mechanism: 'SET NX PX with a unique token. To release: compare and delete in one Lua script.',
  defect:
    "No client deletes another holder's lock any more, but work that outlives the lease still leads to two holders, and oversells.",
  source: 'Redis documentation, "Distributed Locks with Redis": the single-instance lock.',
  next: { strategy: 'watchdog', why: 'renews the lease during the work.' },
  options: ['leaseMs', 'waitMs', 'wait', 'retryMs', 'workMs'],
  lacks: ['survivesLapse', 'survivesSlowWork', 'noticesLoss'],
  expected: {
    'work-outlives-lease': { must: ['oversold', 'lost-update', 'overlap'], may: [] },
    'paused-before-write': { must: ['overlap', 'lost-update'], may: ['oversold'] },
  },

  apply(change, tools) {
    const { redis, options } = tools;
    const key = lockKey(change.balance, 'token-lua');
    const token = randomUUID();
    const lock = {
      key,
      tryAcquire: async () => (await redis.set(key, token, 'PX', options.leaseMs, 'NX')) === 'OK',
      release: (notify: Notify) => run(redis, releaseIfOwner, key, token, notify),
      notifies: true,
    };
    return withLock(lock, tools, () => readModifyWrite(change, tools));
  },
};
