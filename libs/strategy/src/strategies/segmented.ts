import type { Strategy } from '../contract';
import { sellFromSegments } from '../shared/fall-through';
import { segmentLockKey, segmentLockKeys, segmentsOf, split } from '../shared/segments';
import { tokenLock } from '../shared/token-lock';

const NAME = 'segmented';

export const segmented: Strategy = {
  name: NAME,
  mechanism:
    'The first request splits the stock into several rows, each with its own lock, so that buyers do not all wait for one lock. A hash of the request id selects the first row to try. If that one is busy or has too few units, the request tries the others; if no row has enough, it takes units from several.',
  defect:
    'Exact while leases last, down to the last unit. Work that outlives the lease leads to two holders of a segment, as in token-lua. Until the next reset the stock stays in the segments: strategies that sell from the single row are refused (STOCK.SPLIT).',
  source:
    'java.util.concurrent: LongAdder, and the segments of ConcurrentHashMap until Java 7, applied to stock.',
  next: {
    strategy: 'segmented-redis',
    why: 'keeps the segments in Redis; conditional-update on each row would need no lock.',
  },
  options: ['leaseMs', 'waitMs', 'retryMs', 'workMs'],
  locks: (balance) => segmentLockKeys(balance, NAME),
  usesRequestId: true,
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
