import { SoldOut, valueAfter } from '#lab/balance';
import type { Strategy } from '../contract';
import { segmentLockKey, segmentLockKeys, segmentsOf, split, orderByHash } from '../shared/segments';
import { tokenLock } from '../shared/token-lock';
import { withLock } from '../shared/with-lock';

const NAME = 'segmented-naive';

export const segmentedNaive: Strategy = {
  name: NAME,
  mechanism:
    'The stock is split into several rows, each with its own lock. A hash of the request id selects one of them, and the request buys there or not at all.',
  defect:
    'A segment without enough units refuses its buyers while other segments have stock: undersold. Work that outlives the lease oversells, as in token-lua.',
  source:
    'Articles on distributed locks under high concurrency: "segment the lock, as ConcurrentHashMap does".',
  next: { strategy: 'segmented', why: 'tries the other segments as well.' },
  options: ['leaseMs', 'waitMs', 'retryMs', 'workMs'],
  locks: (balance) => segmentLockKeys(balance, NAME),
  usesRequestId: true,
  lacks: ['sellsToTheLast', 'survivesLapse', 'survivesSlowWork', 'noticesLoss'],
  expected: {
    'one-replica': { must: [], may: ['undersold'] },
    replicas: { must: [], may: ['undersold'] },
    'work-outlives-lease': { must: ['overlap', 'oversold', 'lost-update'], may: ['undersold'] },
  },

  prepare: split,

  async apply(change, tools) {
    const { balances, work } = tools;
    const [selected] = orderByHash(change.request, await segmentsOf(change, tools));
    if (selected === undefined) throw new SoldOut(change, 0);
    const { segment } = selected;
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
