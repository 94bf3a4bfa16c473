import { MARKS } from '#lab/verdict';
import { nameOf, titleOf, type LimitRun } from '#load-tests/limits';
import { renderTable } from './table';
import { wrap } from './wrap';

/** One line about the runs of a row. */
export function limitLine(runs: readonly LimitRun[]): string {
  const last = shownOf(runs);
  const { verdict, row } = last;
  const expected = runs.filter((run) => run.verdict.asExpected).length;
  return `${titleOf(row)}: ${markOf(last)}; at most ${verdict.most.admitted} of ${verdict.promise} in a window; as expected ${expected} of ${runs.length}`;
}

/** One row for each limiter and circumstance; with `verbose` also what the verdicts are based on. */
export function limitTable(all: readonly (readonly LimitRun[])[], verbose: boolean): string {
  const table = renderTable({
    head: ['limiter', 'circumstance', 'most admitted', 'verdict', 'as expected', 'commands', 'decisions/s'],
    rows: all.map((runs) => {
      const run = shownOf(runs);
      const { row, verdict } = run;
      const { commands, decisionsPerSecond } = runs[0] ?? run;
      return [
        `${nameOf(row)}${row.limiter.peer === true ? ' (npm)' : ''}`,
        row.circumstance,
        `${Math.max(...runs.map((one) => one.verdict.most.admitted))}/${verdict.promise}`,
        markOf(run),
        `${runs.filter((one) => one.verdict.asExpected).length}/${runs.length}`,
        commands === undefined ? '' : commands.sent.toFixed(2),
        decisionsPerSecond === undefined ? '' : Math.round(decisionsPerSecond).toLocaleString('en'),
      ];
    }),
  });
  const legend = wrap(
    'most admitted: the most requests of one client that were admitted in a window, of those that the limiter promises at most; from the recorded decisions. commands: sent to Redis per decision, under a steady load.',
  );
  const shown = all.map((runs) => ({ ...shownOf(runs), ...steadyOf(runs) }));
  return [table, '', legend, ...(verbose ? ['', figures(shown), '', ...reasons(shown)] : [])].join('\n');
}

const figures = (runs: readonly LimitRun[]): string =>
  renderTable({
    head: ['limiter', 'run by Redis', 'admitted/s', 'fairness', 'clock', 'slowest ms'],
    rows: runs.map(({ row, verdict, commands, slowestMs }) => [
      titleOf(row),
      commands === undefined ? '' : commands.executed.toFixed(1),
      commands === undefined
        ? ''
        : `${verdict.admittedPerSecond.toFixed(1)} of ${verdict.promisedPerSecond.toFixed(1)}`,
      commands === undefined ? '' : verdict.fairness.toFixed(2),
      verdict.most.clock,
      slowestMs.toFixed(0),
    ]),
  });

const reasons = (runs: readonly LimitRun[]): string[] =>
  runs.flatMap(({ row, verdict }) =>
    verdict.because.map((sentence) => wrap(`${titleOf(row)}: ${sentence}`, 2)),
  );

/** A run that is not as expected, else the last one. */
function shownOf(runs: readonly LimitRun[]): LimitRun {
  const bad = runs.find(({ verdict }) => !verdict.asExpected) ?? runs.at(-1);
  if (bad === undefined) throw new Error('a row has at least one run');
  return bad;
}

/** The figures of the steady load: only the first run has one. */
const steadyOf = ([first]: readonly LimitRun[]): Partial<LimitRun> =>
  first?.commands === undefined ? {} : { commands: first.commands, verdict: first.verdict };

const markOf = ({ verdict: { mark, violations } }: LimitRun): string =>
  `${MARKS[mark].sign} ${violations.length === 0 ? MARKS[mark].words : violations.join(', ')}`;
