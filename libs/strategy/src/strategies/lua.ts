import { randomUUID } from 'node:crypto';
import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { acquireWithExpiry, releaseIfOwner, run } from '../shared/scripts';
import { lockKey, withLock, type Notify } from '../shared/with-lock';

export const lua: Strategy = {
  name: 'lua',
  mechanism:
    'One Lua script runs SETNX and PEXPIRE, another one compares and deletes. They are called by EVALSHA, and loaded again after NOSCRIPT.',
  defect: 'Like token-lua: work that outlives the lease leads to two holders, and oversells.',
  source: 'The Lua step of the articles; Redis documentation, EVALSHA.',
  next: {
    strategy: 'token-lua',
    why: 'acquires by SET NX PX, which Redis has since 2.6.12; only the release needs a script.',
  },
  options: ['leaseMs', 'waitMs', 'wait', 'retryMs', 'workMs'],
  lacks: ['survivesLapse', 'survivesSlowWork', 'noticesLoss'],
  expected: {
    'work-outlives-lease': { must: ['oversold', 'lost-update', 'overlap'], may: [] },
    'paused-before-write': { must: ['overlap', 'lost-update'], may: ['oversold'] },
  },

  apply(change, tools) {
    const { redis, options } = tools;
    const key = lockKey(change.balance, 'lua');
    const token = randomUUID();
    const lock = {
      key,
      tryAcquire: async () => (await run(redis, acquireWithExpiry, key, token, options.leaseMs)) === 1,
      release: (notify: Notify) => run(redis, releaseIfOwner, key, token, notify),
      notifies: true,
    };
    return withLock(lock, tools, () => readModifyWrite(change, tools));
  },
};
