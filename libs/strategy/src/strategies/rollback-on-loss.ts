import { LockLost } from '../shared/errors';
import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { tokenLock } from '../shared/token-lock';
import { lockKey, withLock } from '../shared/with-lock';

export const rollbackOnLoss: Strategy = {
  name: 'rollback-on-loss',
  mechanism:
    'As token-lua, with the work in a database transaction: it commits only if the key still holds our token at the end.',
  defect:
    'Between that check and the COMMIT the lease can end: the next holder reads the old row. Rare, and not closed by any check before the COMMIT.',
  source: 'The "check the lock once more before committing" advice of the articles.',
  next: 'fenced lets the row refuse a holder whose lock is gone.',
  options: ['leaseMs', 'waitMs', 'wait', 'retryMs', 'workMs'],
  lacks: ['survivesLapse'],
  expected: {
    'work-outlives-lease': { must: ['overlap'], may: [] },
    'paused-before-write': { must: ['overlap'], may: [] },
    'paused-before-release': { must: ['overlap', 'lost-update'], may: ['oversold'] },
  },

  apply(change, tools) {
    const { redis, balances } = tools;
    const lock = tokenLock(lockKey(change.balance, 'rollback-on-loss'), tools);
    return withLock(lock, tools, () =>
      balances.transaction(async (tx) => {
        const movement = await readModifyWrite(change, { ...tools, balances: tx });
        if ((await redis.get(lock.key)) !== lock.token) throw new LockLost(lock.key);
        return movement;
      }),
    );
  },
};
