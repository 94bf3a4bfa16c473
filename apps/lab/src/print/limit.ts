import { MARKS } from '#lab/verdict';
import { titleOf, type LimitRun } from '#load-tests/limits';
import { renderTable } from './table';
import { wrap } from './wrap';

/** One line about the runs of a row. */
export function limitLine(runs: readonly LimitRun[]): string {
  const last = lastOf(runs);
  const { verdict, row } = last;
  const expected = runs.filter((run) => run.verdict.asExpected).length;
  return `${titleOf(row)}: ${markOf(last)}; at most ${verdict.most.admitted} of ${verdict.promise} in a window; as expected ${expected} of ${runs.length}`;
}

/** One row for each limiter and circumstance. */
export function limitTable(all: readonly (readonly LimitRun[])[], verbose: boolean): string {
  const table = renderTable({
    head: [
      'limiter',
      'promise',
      'most',
      'verdict',
      'as expected',
      'commands',
      'decisions/s',
      ...(verbose ? ['in Redis', 'admitted/s', 'fairness', 'clock', 'slowest ms'] : []),
    ],
    rows: all.map((runs) => {
      const run = lastOf(runs);
      const { verdict, row, commands, decisionsPerSecond, slowestMs } = run;
      return [
        `${titleOf(row)}${row.limiter.peer === true ? ' (npm)' : ''}`,
        verdict.promise,
        Math.max(...runs.map((one) => one.verdict.most.admitted)),
        markOf(run),
        `${runs.filter((one) => one.verdict.asExpected).length}/${runs.length}`,
        commands === undefined ? '' : commands.sent.toFixed(2),
        decisionsPerSecond === undefined ? '' : Math.round(decisionsPerSecond).toLocaleString('en'),
        ...(verbose
          ? [
              commands === undefined ? '' : commands.executed.toFixed(1),
              commands === undefined
                ? ''
                : `${verdict.admittedPerSecond.toFixed(1)} of ${verdict.promisedPerSecond.toFixed(1)}`,
              commands === undefined ? '' : verdict.fairness.toFixed(2),
              verdict.most.clock,
              slowestMs.toFixed(0),
            ]
          : []),
      ];
    }),
  });
  const legend = wrap(
    'promise: the most requests of one client in any window. most: the most that were admitted, by the recorded decisions. commands: sent to Redis per decision.',
    0,
  );
  const reasons = all
    .map(lastOf)
    .flatMap(({ row, verdict }) =>
      verdict.because.map((sentence) => wrap(`${titleOf(row)}: ${sentence}`, 2)),
    );
  return [table, '', legend, ...(verbose ? ['', ...reasons] : [])].join('\n');
}

function lastOf(runs: readonly LimitRun[]): LimitRun {
  const bad = runs.find(({ verdict }) => !verdict.asExpected) ?? runs.at(-1);
  if (bad === undefined) throw new Error('a row has at least one run');
  return bad;
}

const markOf = ({ verdict: { mark, violations } }: LimitRun): string =>
  `${MARKS[mark].sign} ${violations.length === 0 ? MARKS[mark].words : violations.join(', ')}`;
