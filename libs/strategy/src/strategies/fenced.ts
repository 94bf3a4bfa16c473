import { valueAfter } from '#lab/balance';
import type { Strategy } from '../contract';
import { fencedLock, fenceKey } from '../shared/fenced-lock';
import { withLock } from '../shared/with-lock';

/**
 * The token is registered in the row before the read. Then no older holder can write between our read and our write: a
 * token that is checked at the write alone (fenced-write) lets that stale write through, because no newer one is known yet.
 */
export const fenced: Strategy = {
  name: 'fenced',
  mechanism:
    'The lock issues increasing fencing tokens. The holder registers its token in the row before the read, and the write has WHERE fence = token AND holder = me.',
  defect:
    'Correct: two holders do occur, and the row refuses the older one. If the counter falls behind the row (Redis restarted empty, or a failover lost the last tokens), all holders are refused until it has caught up.',
  source: 'Kleppmann, "How to do distributed locking", 2016, with a second check before the read.',
  next: { strategy: 'conditional-update', why: 'needs no lock, where the rule fits into one WHERE clause.' },
  options: ['leaseMs', 'waitMs', 'wait', 'retryMs', 'workMs'],
  keys: (balance) => [fenceKey(balance)],
  lacks: [],
  expected: {
    'work-outlives-lease': { must: ['overlap'], may: [] },
    'paused-before-write': { must: ['overlap'], may: [] },
  },

  apply(change, tools) {
    const { balances, work } = tools;
    const lock = fencedLock(change.balance, 'fenced', tools);
    return withLock(lock, tools, async () => {
      await balances.registerToken(change, lock);
      const before = await balances.read(change.balance);
      const after = valueAfter(change, before);
      await work();
      return balances.writeRegistered(change, lock, before, after);
    });
  },
};
