import { SoldOut, valueAfter } from '#lab/balance';
import type { Strategy } from '../contract';
import { segmentLockKey, segmentLockKeys, segmentsOf, split, orderByHash } from '../shared/segments';
import { tokenLock } from '../shared/token-lock';
import { withLock } from '../shared/with-lock';

const NAME = 'segmented-naive';

export const segmentedNaive: Strategy = {
  name: NAME,
  mechanism:
    'The stock is split over rows, each with a lock of its own. A request goes to one of them, by its hash, and buys there or not at all.',
  defect:
    'Nothing is sold twice, but a segment that is empty, or that has less than is wanted, refuses its buyers while others have stock: undersold.',
  source:
    'Articles on distributed locks under high concurrency: "segment the lock, as ConcurrentHashMap does".',
  next: 'segmented goes on to the other segments.',
  options: ['leaseMs', 'waitMs', 'retryMs', 'workMs'],
  locks: (balance) => segmentLockKeys(balance, NAME),
  lacks: ['sellsToTheLast', 'survivesLapse', 'survivesSlowWork', 'noticesLoss'],
  expected: {
    'one-replica': { must: [], may: ['undersold'] },
    replicas: { must: [], may: ['undersold'] },
    'work-outlives-lease': { must: ['overlap', 'oversold', 'lost-update'], may: ['undersold'] },
  },

  prepare: split,

  async apply(change, tools) {
    const { balances, work } = tools;
    const [mine] = orderByHash(change.request, await segmentsOf(change, tools));
    if (mine === undefined) throw new SoldOut(change, 0);
    const { segment } = mine;
    const lock = tokenLock(segmentLockKey(change.balance, NAME, segment), tools);
    return withLock(lock, tools, async () => {
      const segments = await balances.segments.read(change.balance);
      const before = segments.find((one) => one.segment === segment)?.amount ?? 0;
      const after = valueAfter(change, before);
      await work();
      return balances.segments.write(change, [{ segment, before, after }]);
    });
  },
};
