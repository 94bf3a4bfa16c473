import { MARKS } from '#lab/verdict';
import type { LoadRun } from '#load-tests/run';
import type { Scenario } from '#load-tests/scenarios';
import { renderTable } from './table';
import { expectationWords } from './words';

/** A scenario of the demo and its run. */
export interface DemoRow {
  readonly scenario: Scenario;
  readonly run: LoadRun;
}

/** One row for each scenario: what was sold, the mark with the first reason, and what the scenario shows. `verbose`: every reason. */
export const demoTable = (rows: readonly DemoRow[], verbose: boolean): string => {
  const sold = rows.some(isOfAccount) ? 'sold, entered' : 'sold';
  return verbose
    ? renderTable({
        head: ['scenario', sold, 'result'],
        rows: rows.map((row) => [row.scenario.name, soldWords(row), resultWords(row)]),
        boxed: true,
      })
    : renderTable({
        head: ['scenario', sold, 'verdict', 'shows'],
        rows: rows.map((row) => [row.scenario.name, soldWords(row), verdictWords(row), row.scenario.shows]),
      });
};

const isOfAccount = ({ run: { verdict } }: DemoRow): boolean => verdict.kind === 'account';

const soldWords = ({ run: { verdict } }: DemoRow): string =>
  verdict.sold < 0 ? `+${-verdict.sold} on ${verdict.initial}` : `${verdict.sold}/${verdict.initial}`;

/** `✗ DATA WRONG: 200 units oversold`. */
function verdictWords({ run: { verdict } }: DemoRow): string {
  const [reason] = verdict.verdict === 'violated' ? verdict.because : [];
  const words = verdict.verdict === 'safe' ? 'SAFE' : MARKS[verdict.mark].words.toUpperCase();
  return [
    `${signOf(verdict)} ${words}${reason === undefined ? '' : `: ${reason}`}`,
    ...deviationWords(verdict),
  ].join('\n');
}

function resultWords({ scenario, run: { verdict } }: DemoRow): string {
  const { headline, mechanism, outageMs } = verdict;
  return [
    `${signOf(verdict)} ${headline}`,
    ...deviationWords(verdict),
    ...(mechanism === null ? [] : [mechanism]),
    ...(outageMs !== null && outageMs > 0 ? [`outage ${outageMs} ms`] : []),
    scenario.shows,
    ...(scenario.certainBy === undefined ? [] : [`(${scenario.certainBy})`]),
  ].join('\n');
}

type Verdict = DemoRow['run']['verdict'];

const signOf = ({ verdict, mark }: Verdict): string => MARKS[verdict === 'safe' ? 'safe' : mark].sign;

const deviationWords = ({ asExpected, expected }: Verdict): readonly string[] =>
  asExpected ? [] : [`NOT as documented (expected: ${expectationWords(expected)})`];
