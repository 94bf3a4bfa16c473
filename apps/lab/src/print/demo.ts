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

/** One row for each scenario: the mark, the reason, and what the scenario shows. */
export const demoTable = (rows: readonly DemoRow[], verbose: boolean): string =>
  renderTable({
    head: ['scenario', rows.some(isOfAccount) ? 'sold, entered' : 'sold', 'result'],
    rows: rows.map((row) => [row.scenario.name, soldWords(row), resultWords(row, verbose)]),
    boxed: true,
  });

const isOfAccount = ({ run: { verdict } }: DemoRow): boolean => verdict.kind === 'account';

const soldWords = ({ run: { verdict } }: DemoRow): string =>
  verdict.sold < 0 ? `+${-verdict.sold} on ${verdict.initial}` : `${verdict.sold}/${verdict.initial}`;

function resultWords({ scenario, run: { verdict } }: DemoRow, verbose: boolean): string {
  const { mark, verdict: word, headline, mechanism, outageMs, expected, asExpected } = verdict;
  return [
    `${MARKS[word === 'safe' ? 'safe' : mark].sign} ${headline}`,
    ...(asExpected ? [] : [`NOT as documented (expected: ${expectationWords(expected)})`]),
    ...(mechanism === null ? [] : [mechanism]),
    ...(outageMs !== null && outageMs > 0 ? [`outage ${outageMs} ms`] : []),
    scenario.shows,
    ...(verbose && scenario.certainBy !== undefined ? [`(${scenario.certainBy})`] : []),
  ].join('\n');
}
