import type { ActionResult, LimiterResult } from '#load-tests/bench';
import { renderTable } from './table';
import { wrap } from './wrap';

const rounded = (value: number): string => Math.round(value).toLocaleString('en');
const ratio = (value: number | undefined): string =>
  value === undefined || Number.isNaN(value) ? '' : value.toFixed(2);

/** Each limiter beside ioredis with the same commands, and the npm packages, by promise. */
export const printLimiters = (results: readonly LimiterResult[]): string =>
  [
    ...(['own window', 'any window'] as const).flatMap((promise) => [
      renderTable({
        head: [
          `promise: ${promise}`,
          'admitted',
          'decisions/s',
          'p99 ms',
          '/ ioredis',
          '/ package',
          'commands sent',
          'commands run',
        ],
        rows: results.filter((result) => result.promise === promise).map(limiterRow),
      }),
      '',
    ]),
    wrap(
      'admitted: the most requests admitted in one window, of those that the limiter promises at most; ✗: more than promised. / ioredis: decisions/s divided by those of ioredis with the same commands. / package: decisions/s divided by those of the fastest npm package that keeps the same promise. Each ratio is computed within one run; the median is shown. commands sent: by the client, per decision (MONITOR). commands run: by Redis, per decision, including those inside scripts (INFO commandstats).',
    ),
  ].join('\n');

function limiterRow(result: LimiterResult): string[] {
  const { name, kind, promise, promised, most, isCorrect, ofPeer, ofBare } = result;
  const admitted = promise === 'own window' ? most?.ownWindow : most?.anyWindow;
  return [
    kind === 'peer' ? `${name} (npm)` : kind === 'bare' ? '  ioredis alone' : name,
    admitted === undefined ? '' : `${isCorrect ? '✓' : '✗'} ${admitted} of ${promised}`,
    rounded(result.decisionsPerSecond),
    result.p99Ms.toFixed(1),
    ratio(ofBare),
    kind === 'bare' ? '' : ratio(ofPeer),
    result.sent.toFixed(2),
    result.executed.toFixed(2),
  ];
}

/** What each guard of actions costs, beside the unprotected guard of its use. */
export const printActions = (results: readonly ActionResult[]): string =>
  [
    renderTable({
      head: ['guard', 'Redis', 'SQL', 'other', 'repeated', 'actions/s', 'p99 ms', '/ unprotected', 'failed'],
      rows: results.map(({ name, first, again, actionsPerSecond, p99Ms, ofUnprotected, failed }) => [
        name,
        first.redis.toFixed(1),
        first.sql.toFixed(1),
        first.other.toFixed(1),
        again.toFixed(1),
        rounded(actionsPerSecond),
        p99Ms.toFixed(1),
        ratio(ofUnprotected),
        failed,
      ]),
    }),
    '',
    wrap(
      'Redis, SQL, other (gateway, ZooKeeper, etcd): commands and statements of an action that is done for the first time. repeated: all commands and statements when the same action is requested again. / unprotected: actions/s divided by those of the first guard of the use, in the same run.',
    ),
  ].join('\n');
