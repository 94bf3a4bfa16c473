import type { GuardBenchResult } from '#load-tests/bench';
import { renderTable } from './table';
import { wrap } from './wrap';

/** Each limiter beside ioredis with the same commands, and the npm packages. */
export const printGuards = ({ results }: GuardBenchResult): string =>
  [
    renderTable({
      head: [
        'limiter',
        'decisions/s',
        'p99 ms',
        'of ioredis',
        'of the fastest package',
        'commands',
        'in Redis',
      ],
      rows: results.map(
        ({ name, kind, decisionsPerSecond, p99Ms, ofBare, ofFastestPeer, sent, executed }) => [
          kind === 'peer' ? `${name} (npm)` : name,
          Math.round(decisionsPerSecond).toLocaleString('en'),
          p99Ms.toFixed(1),
          ofBare === undefined ? '' : ofBare.toFixed(2),
          kind === 'bare' ? '' : ofFastestPeer.toFixed(2),
          sent.toFixed(2),
          executed.toFixed(2),
        ],
      ),
    }),
    '',
    wrap(
      'of ioredis: the ratio to bare ioredis, which sends the same commands; medians of ratios within one run. commands: sent to Redis per decision (MONITOR). in Redis: executed, also inside of scripts (INFO commandstats).',
    ),
  ].join('\n');
