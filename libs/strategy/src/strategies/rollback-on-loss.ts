import { LockLost } from '../shared/errors';
import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { tokenLock } from '../shared/token-lock';
import { lockKey, withLock } from '../shared/with-lock';

export const rollbackOnLoss: Strategy = {
  name: 'rollback-on-loss',
  mechanism:
    'Like token-lua, with the work in a database transaction that commits only if the key still contains our token.',
  defect:
    'The lease can end between that check and the COMMIT: the next holder reads the old row. This is rare, but no check before the COMMIT can exclude it.',
  source: 'The "check the lock once more before committing" advice of the articles.',
  next: { strategy: 'fenced', why: 'makes the row refuse a holder that has lost its lock.' },
  options: ['leaseMs', 'waitMs', 'wait', 'retryMs', 'workMs', 'isolation'],
  lacks: ['survivesLapse', 'survivesSlowWork'],
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
