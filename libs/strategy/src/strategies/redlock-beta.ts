import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { RedlockBetaClient, type BetaLock } from '../shared/redlock-beta';
import { lockKey, withLock } from '../shared/with-lock';

export const redlockBeta: Strategy = {
  name: 'redlock-beta',
  mechanism:
    'npm redlock 5.0.0-beta.2 as shipped: the lock is acquired as soon as a majority has granted it.',
  defect:
    'It does not check how long the acquisition took: after a pause inside acquire it returns a lock that has expired. With an even number of servers and a tie it hangs. Otherwise like redlock.',
  source: 'npm redlock 5.0.0-beta.2: the check of 4.2, elapsed < validity, is missing.',
  next: { strategy: 'redlock', why: '(4.2) checks the remaining validity before it returns the lock.' },
  options: ['leaseMs', 'waitMs', 'retryMs', 'workMs'],
  needs: ['redlock'],
  lacks: ['survivesLapse', 'survivesSlowWork', 'noticesLoss'],
  expected: {
    'work-outlives-lease': { must: ['oversold', 'lost-update', 'overlap'], may: [] },
    'paused-before-write': { must: ['overlap', 'lost-update'], may: ['oversold'] },
    'paused-in-acquire': { must: ['overlap', 'lost-update'], may: ['oversold'] },
  },

  apply(change, tools) {
    const { servers, options } = tools;
    const key = lockKey(change.balance, 'redlock-beta');
    const client = new RedlockBetaClient(servers.voters);
    let granted: BetaLock | undefined;
    const lock = {
      key,
      tryAcquire: async () => {
        granted = await client.tryLock(key, options.leaseMs);
        return granted !== undefined;
      },
      release: async () => granted?.release(),
    };
    return withLock(lock, tools, () => readModifyWrite(change, tools));
  },
};
