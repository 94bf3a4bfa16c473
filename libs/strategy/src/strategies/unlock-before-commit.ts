import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { tokenLock } from '../shared/token-lock';
import { lockKey, withLock } from '../shared/with-lock';

export const unlockBeforeCommit: Strategy = {
  name: 'unlock-before-commit',
  mechanism:
    'The transaction encloses the lock: acquire the lock, read, check, write, release the lock, and then COMMIT.',
  defect:
    'Between the release and the COMMIT the next holder reads the old row, and its write overwrites the new one. This needs no fault.',
  source:
    'A method with @Transactional that locks and unlocks inside: the proxy commits after it has returned.',
  next: {
    strategy: 'rollback-on-loss',
    why: 'opens the transaction under the lock, and commits before it releases.',
  },
  options: ['leaseMs', 'waitMs', 'wait', 'retryMs', 'workMs', 'isolation'],
  lacks: ['exactInOneProcess', 'exactAcrossProcesses', 'survivesLapse', 'survivesSlowWork', 'noticesLoss'],
  expected: {
    'one-replica': { must: ['oversold', 'lost-update'], may: ['overlap'] },
    replicas: { must: ['oversold', 'lost-update'], may: ['overlap'] },
  },

  apply: (change, tools) =>
    tools.balances.transaction((tx) =>
      withLock(tokenLock(lockKey(change.balance, 'unlock-before-commit'), tools), tools, () =>
        readModifyWrite(change, { ...tools, balances: tx }),
      ),
    ),
};
