import type { StampedeBenchResult } from '#load-tests/bench';
import { renderTable } from './table';
import { wrap } from './wrap';

/** Each guard at an expiry, and those with a lock after the death of its holder. */
export const printStampede = ({ results, killed }: StampedeBenchResult): string =>
  [
    renderTable({
      head: [
        'at an expiry',
        'rebuilds',
        'most',
        'stale ms',
        'p50 ms',
        'p99 ms',
        'warm p99',
        'ratio',
        'refused',
      ],
      rows: results.map((one) => [
        one.isBeforeExpiry ? `${one.guard}, before` : one.guard,
        one.rebuilds.toFixed(0),
        one.mostRebuilds,
        one.mostStaleMs,
        one.p50Ms.toFixed(0),
        one.p99Ms.toFixed(0),
        one.warmP99Ms.toFixed(0),
        one.p99OfWarm.toFixed(2),
        refusedText(one.refused),
      ]),
    }),
    '',
    renderTable({
      head: ['builder killed', 'lease ms', 'rebuilt after ms', 'longest wait ms', 'stale ms', 'refused'],
      rows: killed.map((one) => [
        one.guard,
        one.leaseMs,
        one.rebuiltAfterMs.toFixed(0),
        one.longestWaitMs.toFixed(0),
        one.mostStaleMs,
        refusedText(one.refused),
      ]),
    }),
    '',
    wrap(
      'All readers send one request at the same moment. rebuilds: median per expiry, and the most. stale: for how long the page had expired at most when a reader received it. warm: the same readers a moment later, when the page is fresh; ratio: p99 to that, median of the ratios within one run. page/early, before: the page is still fresh, and each reader builds it with a probability of one in all readers. A killed builder held the lock; readers came when its replica was up again.',
    ),
  ].join('\n');

const refusedText = (refused: Readonly<Record<string, number>>): string =>
  Object.entries(refused)
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ');
