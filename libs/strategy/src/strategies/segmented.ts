import type { Strategy } from '../contract';
import { sellFromSegments } from '../shared/fall-through';
import { segmentLockKey, segmentLockKeys, segmentsOf, split } from '../shared/segments';
import { tokenLock } from '../shared/token-lock';

const NAME = 'segmented';

export const segmented: Strategy = {
  name: NAME,
  mechanism:
    'The first request splits the stock over rows, each with a lock of its own, so that buyers do not all wait for one. A request begins at one of them, by its hash, goes on where that one is busy or has too little, and takes from several when none has enough alone.',
  defect:
    'Exact while leases last, and the last unit is sold; work that outlives the lease has two holders in a segment, as in token-lua. Until the next reset the stock is in the segments: strategies that sell from the one row are refused (STOCK.SPLIT).',
  source: 'java.util.concurrent: LongAdder and the segments of ConcurrentHashMap, applied to stock.',
  next: 'segmented-redis has the segments in Redis; conditional-update on each row would need no lock.',
  options: ['leaseMs', 'waitMs', 'retryMs', 'workMs'],
  locks: (balance) => segmentLockKeys(balance, NAME),
  lacks: ['survivesLapse', 'survivesSlowWork', 'noticesLoss'],
  expected: {
    'work-outlives-lease': { must: ['overlap', 'oversold', 'lost-update'], may: [] },
  },

  prepare: split,

  apply: (change, tools) =>
    sellFromSegments(change, tools, {
      read: () => segmentsOf(change, tools),
      lock: (segment) => tokenLock(segmentLockKey(change.balance, NAME, segment), tools),
      sell: (writes) => tools.balances.segments.write(change, writes),
    }),
};
