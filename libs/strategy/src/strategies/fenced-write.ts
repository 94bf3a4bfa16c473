import { valueAfter } from '#lab/balance';
import type { Strategy } from '../contract';
import { fencedLock, fenceKey } from '../shared/fenced-lock';
import { withLock } from '../shared/with-lock';

export const fencedWrite: Strategy = {
  name: 'fenced-write',
  mechanism:
    'The lock hands out a growing token; the write says WHERE fence < token, and leaves its token in the row.',
  defect:
    "Only a write that comes after the newer holder's write is refused: one that lands between that holder's read and write passes, and is lost. And when a failover of Redis loses two tokens, the counter falls back behind the stale holder's, whose write then passes as the newer one.",
  source: 'Kleppmann, "How to do distributed locking", 2016, taken by its picture.',
  next: 'fenced shows the token to the row before it reads.',
  options: ['leaseMs', 'waitMs', 'wait', 'retryMs', 'workMs'],
  keys: (balance) => [fenceKey(balance)],
  lacks: ['survivesLapse', 'survivesSlowWork', 'noticesLoss'],
  expected: {
    'work-outlives-lease': { must: ['oversold', 'lost-update', 'overlap'], may: [] },
    'paused-before-write': { must: ['overlap'], may: [] },
  },

  apply(change, tools) {
    const { balances, work } = tools;
    const lock = fencedLock(change.balance, 'fenced-write', tools);
    return withLock(lock, tools, async () => {
      const before = await balances.read(change.balance);
      const after = valueAfter(change, before);
      await work();
      return balances.writeFenced(change, lock, before, after);
    });
  },
};
