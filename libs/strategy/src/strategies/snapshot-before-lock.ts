import { valueAfter } from '#lab/balance';
import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { tokenLock } from '../shared/token-lock';
import { acquire, lockKey, release } from '../shared/with-lock';

export const snapshotBeforeLock: Strategy = {
  name: 'snapshot-before-lock',
  mechanism:
    'The transaction starts before the Redis lock is acquired: a first SELECT avoids the lock when the stock is sold out. The lock is released after COMMIT.',
  defect:
    'Under REPEATABLE READ the first SELECT fixes the snapshot: the read under the lock returns the stock from before the wait. This needs no fault.',
  source:
    'MySQL Reference Manual, "Transaction Isolation Levels"; a method with @Transactional that locks inside.',
  next: { strategy: 'rollback-on-loss', why: 'opens the transaction under the lock.' },
  options: ['leaseMs', 'waitMs', 'wait', 'retryMs', 'workMs', 'isolation'],
  lacks: ['exactInOneProcess', 'exactAcrossProcesses', 'survivesLapse', 'survivesSlowWork', 'noticesLoss'],
  expected: {
    'one-replica': { must: ['oversold', 'lost-update'], may: [] },
    replicas: { must: ['oversold', 'lost-update'], may: [] },
  },
  readCommitted: {
    lacks: ['survivesLapse', 'survivesSlowWork', 'noticesLoss'],
    expected: {
      'work-outlives-lease': { must: ['oversold', 'lost-update', 'overlap'], may: [] },
      'paused-before-write': { must: ['overlap', 'lost-update'], may: ['oversold'] },
    },
  },

  async apply(change, tools) {
    const lock = tokenLock(lockKey(change.balance, 'snapshot-before-lock'), tools);
    try {
      return await tools.balances.transaction(async (tx) => {
        valueAfter(change, await tx.read(change.balance));
        await acquire(lock, tools);
        return readModifyWrite(change, { ...tools, balances: tx });
      });
    } finally {
      await release(lock, tools); // deletes nothing if the lock was not acquired
    }
  },
};
