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
        'most rebuilds',
        'stale ms',
        'p50 ms',
        'p99 ms',
        'fresh p99 ms',
        'p99 / fresh p99',
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
      'All readers send one request at the same moment. rebuilds: median per expiry; most rebuilds: maximum. stale: the longest time since the expiry of a page that a reader received. fresh p99: the same readers a moment later, when the page is fresh; p99 / fresh p99: median of the ratios within one run. page/early, before: the page is still fresh, and each of the N readers rebuilds it with probability 1/N. builder killed: the holder of the lock is killed, and the readers arrive after its replica has restarted.',
    ),
  ].join('\n');

const refusedText = (refused: Readonly<Record<string, number>>): string =>
  Object.entries(refused)
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ');
