import { randomUUID } from 'node:crypto';
import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { acquireWithExpiry, releaseIfOwner, run } from '../shared/scripts';
import { lockKey, withLock, type Notify } from '../shared/with-lock';

export const lua: Strategy = {
  name: 'lua',
  mechanism:
    'SETNX and PEXPIRE in one Lua script, compare-and-delete in another; EVALSHA, taught again when Redis has forgotten them.',
  defect: 'As token-lua: work that outlives the lease has two holders, and oversells.',
  source: 'The Lua step of the articles; Redis documentation, EVALSHA.',
  next: 'token-lua: since Redis 2.6.12 SET NX PX takes it without a script; only the release needs one.',
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
