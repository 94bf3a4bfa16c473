import type { FaultName } from '#lab/strategy';
import { MARKS } from '#lab/verdict';
import { faultLabel, type GuardRow, type GuardRun } from '#load-tests/guards';
import { renderTable } from './table';

/** An exploration of one guard with one fault, or without. */
export interface ExploredGuard {
  readonly guard: string;
  readonly fault: FaultName | 'none';
  readonly schedules: number;
  readonly violating: number;
  readonly partial: boolean;
  readonly kinds: Readonly<Record<string, number>>;
  /** The token of the shortest schedule with the worst violation. */
  readonly token?: string;
  readonly contradictions: readonly string[];
}

/** The run that is not as expected, else the last one. */
const shownOf = (runs: readonly GuardRun[]): GuardRun => {
  const shown = runs.find(({ verdict }) => !verdict.asExpected) ?? runs.at(-1);
  if (shown === undefined) throw new Error('a row has at least one run');
  return shown;
};

const markOf = ({ verdict: { mark, violations } }: GuardRun): string => {
  const kinds = [...new Set(violations.map(({ kind }) => kind))].join(', ');
  return `${MARKS[mark].sign} ${kinds === '' ? MARKS[mark].words : kinds}`;
};

const expectedOf = (runs: readonly GuardRun[]): string =>
  `${runs.filter(({ verdict }) => verdict.asExpected).length}/${runs.length}`;

const rowName = ({ guard, oldPages }: GuardRow): string =>
  oldPages === undefined ? guard.name : `${guard.name}, before the expiry`;

/** One line about the runs of a row. */
export function loadLine(runs: readonly GuardRun[]): string {
  const run = shownOf(runs);
  const why = run.verdict.because.length === 0 ? '' : ` (${run.verdict.because.join('; ')})`;
  return `${rowName(run.row)}, ${faultLabel(run.row)}: ${markOf(run)}${why}; as expected ${expectedOf(runs)}`;
}

/** The load runs of guards, with what was measured besides. */
export const loadTable = (all: readonly (readonly GuardRun[])[]): string =>
  [
    renderTable({
      head: ['under load', 'fault', 'verdict', 'effects', 'keys', 'stale ms', 'as expected'],
      rows: all.map((runs) => {
        const run = shownOf(runs);
        const { effects, keys, staleMs } = run.verdict;
        return [rowName(run.row), faultLabel(run.row), markOf(run), effects, keys, staleMs, expectedOf(runs)];
      }),
    }),
    ...figureLines(all.map(shownOf)),
  ].join('\n');

const figureLines = (runs: readonly GuardRun[]): string[] => {
  const lines = runs.flatMap(({ row, figures }) =>
    Object.entries(figures).map(([name, value]) => `${row.guard.name}: ${name}: ${value}`),
  );
  return lines.length === 0 ? [] : ['', ...lines];
};

/** The explorations of guards, with a token for each that shows a violation. */
export const exploredTable = (all: readonly ExploredGuard[]): string =>
  [
    renderTable({
      head: ['all interleavings', 'fault', 'schedules', 'violating', 'kinds', 'as expected'],
      rows: all.map(({ guard, fault, schedules, partial, violating, kinds, contradictions }) => [
        guard,
        fault,
        `${schedules}${partial ? '+' : ''}`,
        violating,
        Object.keys(kinds).join(', ') || 'none',
        contradictions.length === 0 ? 'yes' : contradictions.join('; '),
      ]),
    }),
    '',
    ...all.flatMap(({ guard, fault, token }) =>
      token === undefined ? [] : [`${guard}, fault ${fault}:`, `  npx lab replay ${token}`],
    ),
  ].join('\n');
