import { valueAfter } from '#lab/balance';
import type { Strategy } from '../contract';
import { fencedLock, fenceKey } from '../shared/fenced-lock';
import { withLock } from '../shared/with-lock';

export const fencedWrite: Strategy = {
  name: 'fenced-write',
  mechanism:
    'The lock issues increasing fencing tokens. The write has WHERE fence < token, and stores its token in the row.',
  defect:
    "A stale write is refused only after the newer holder has written. If it lands between that holder's read and write, it is accepted, and then overwritten. If a failover of Redis loses two tokens, the counter restarts below the token of the stale holder, whose write is then accepted as the newer one.",
  source: 'Kleppmann, "How to do distributed locking", 2016, as in its diagram.',
  next: { strategy: 'fenced', why: 'registers the token in the row before it reads.' },
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
