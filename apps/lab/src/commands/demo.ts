import { count } from '#lab/step';
import { projectRoot } from '#lab/stack';
import { componentsOf, findStrategy } from '#lab/strategy';
import Table from 'cli-table3';
import type { Command } from 'commander';
import { join, relative } from 'node:path';
import { runLoad, untilProved, type LoadRun } from '#load-tests/run';
import { DRILLS } from '#load-tests/drills';
import { DEMO, MORE, type Scenario } from '#load-tests/scenarios';
import { MARKS } from '#lab/verdict';
import { runCommand, writeJson, type Context } from '../command';
import { expectationWords } from '../print/words';
import { EXIT } from '../failure';
import { runJson, writeRunFolder } from '../run-folder';
import { startLab } from '../session';
import { allAsExpected, drillsJson, drillTable, proveDrills } from './drill';

interface Row {
  readonly scenario: Scenario;
  readonly run: LoadRun;
  readonly folder: string;
}

export function register(program: Command): void {
  program
    .command('demo')
    .description('run every scenario live on a lab of its own, and print one table')
    .option('--all', 'also the rest of the catalogue, and the failures of servers: some minutes')
    .option('--json <file>', 'write all verdicts as JSON: {rows: [...], drills: [...]}')
    .action((options: { all?: true; json?: string }) =>
      runCommand(async (context) => {
        const all = options.all === true;
        const rows = await runAll(context, all ? [...DEMO, ...MORE] : DEMO);
        const drilled = all ? await proveDrills(DRILLS, context) : [];
        process.stdout.write(`${table(rows)}\n`);
        if (all) process.stdout.write(`${drillTable(drilled)}\n`);
        if (options.json !== undefined) {
          writeJson(options.json, {
            rows: rows.map(({ scenario, run }) => ({ scenario: scenario.name, ...runJson(run) })),
            drills: drillsJson(drilled),
          });
        }
        const good =
          rows.filter(({ run }) => run.verdict.asExpected).length + drilled.filter(allAsExpected).length;
        const documented = rows.length + drilled.length;
        process.stdout.write(
          `${good} of ${count(documented, 'row')} as documented; reports in ${relative(process.cwd(), join(projectRoot(), 'runs'))}/\n`,
        );
        return good === documented ? EXIT.ok : EXIT.notAsExpected;
      }),
    );
}

async function runAll({ progress, signal, onEnd }: Context, scenarios: readonly Scenario[]): Promise<Row[]> {
  const components = componentsOf(scenarios.map(({ plan }) => findStrategy(plan.strategy)));
  const dir = join(projectRoot(), '.lab', `demo-${process.pid}`);
  const lab = await startLab(dir, { progress, signal, components });
  onEnd(lab.stop);
  const rows: Row[] = [];
  for (const [i, scenario] of scenarios.entries()) {
    const label = `[${i + 1}/${scenarios.length}] ${scenario.name}`;
    progress.update(label);
    const run = await untilProved(
      () =>
        runLoad(lab.target, lab.control, scenario.plan, (text) => {
          progress.update(`${label}: ${text}`);
        }),
      (because) => {
        progress.say(`${label} has proved nothing and is run again: ${because}`);
      },
    );
    rows.push({ scenario, run, folder: writeRunFolder(run, scenario.name) });
    progress.say(
      `${label}: ${MARKS[run.verdict.verdict === 'safe' ? 'safe' : run.verdict.mark].words}${run.verdict.asExpected ? '' : ', NOT as documented'}`,
    );
  }
  return rows;
}

/** At most 100 columns: what was shown, the mark, and the sentence behind it. */
function table(rows: readonly Row[]): string {
  const printed = new Table({
    head: ['scenario', 'sold', 'result'],
    style: { head: [], border: [] },
    wordWrap: true,
    colWidths: [24, 11, 62],
  });
  for (const { scenario, run } of rows) {
    const { verdict } = run;
    const { mark, verdict: word, headline, mechanism, outageMs } = verdict;
    const outage = outageMs !== null && outageMs > 0 ? [`outage ${outageMs} ms`] : [];
    const certain = scenario.certainBy === undefined ? [] : [`(${scenario.certainBy})`];
    printed.push([
      scenario.name,
      verdict.sold < 0 ? `+${-verdict.sold} on ${verdict.initial}` : `${verdict.sold}/${verdict.initial}`,
      [
        `${MARKS[word === 'safe' ? 'safe' : mark].sign} ${headline}`,
        ...(mechanism === null ? [] : [mechanism]),
        ...outage,
        scenario.shows,
        ...certain,
        ...(verdict.asExpected
          ? []
          : [`NOT as documented (expected: ${expectationWords(verdict.expected)})`]),
      ].join('\n'),
    ]);
  }
  return printed.toString();
}
