import { projectRoot } from '#lab/stack';
import { componentsOf, findStrategy } from '#lab/strategy';
import Table from 'cli-table3';
import type { Command } from 'commander';
import { join, relative } from 'node:path';
import { runLoad, type LoadRun } from '#load-tests/run';
import { DEMO, MORE, type Scenario } from '#load-tests/scenarios';
import { runCommand, writeJson, type Context } from '../command';
import { EXIT } from '../failure';
import { runJson, writeRunFolder } from '../run-folder';
import { startLab } from '../session';

interface Row {
  readonly scenario: Scenario;
  readonly run: LoadRun;
  readonly folder: string;
}

export function register(program: Command): void {
  program
    .command('demo')
    .description('run every scenario live on a lab of its own, and print one table')
    .option('--all', 'also the rest of the catalogue: some minutes')
    .option('--json <file>', 'write all verdicts as JSON: {rows: [...]}')
    .action((options: { all?: true; json?: string }) =>
      runCommand(async (context) => {
        const rows = await runAll(context, options.all === true ? [...DEMO, ...MORE] : DEMO);
        process.stdout.write(`${table(rows)}\n`);
        if (options.json !== undefined) {
          writeJson(options.json, {
            rows: rows.map(({ scenario, run }) => ({ scenario: scenario.name, ...runJson(run) })),
          });
        }
        const wrong = rows.filter(({ run }) => !run.verdict.asExpected);
        const summary = `${rows.length - wrong.length} of ${rows.length} rows as documented`;
        process.stdout.write(
          `${summary}; reports in ${relative(process.cwd(), join(projectRoot(), 'runs'))}/\n`,
        );
        return wrong.length === 0 ? EXIT.ok : EXIT.notAsExpected;
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
    const run = await runLoad(lab.target, lab.crew, scenario.plan, (text) => {
      progress.update(`${label}: ${text}`);
    });
    rows.push({ scenario, run, folder: writeRunFolder(run, scenario.name) });
    progress.say(`${label}: ${run.verdict.verdict}${run.verdict.asExpected ? '' : ', NOT as documented'}`);
  }
  return rows;
}

function table(rows: readonly Row[]): string {
  const head = [
    'scenario',
    'what it shows',
    'sold',
    'left',
    'oversold',
    'lost',
    'foreign',
    'stuck',
    'sales/s',
    'verdict',
    'as documented',
  ];
  const printed = new Table({ head, style: { head: [], border: [] }, wordWrap: true, colWidths: [22, 36] });
  for (const { scenario, run } of rows) {
    const { verdict, latency } = run;
    const outage = verdict.outageMs !== null && verdict.outageMs > 0 ? `\noutage ${verdict.outageMs} ms` : '';
    const certain = scenario.certainBy === undefined ? '' : `\n(${scenario.certainBy})`;
    printed.push([
      scenario.name,
      `${scenario.shows}${certain}${outage}`,
      `${verdict.sold}/${verdict.initial}`,
      verdict.finalStock,
      verdict.oversold,
      verdict.lostUpdates,
      verdict.foreignReleases.length,
      verdict.stuckLocks.length,
      latency.salesPerSecond,
      verdict.verdict,
      verdict.asExpected ? 'yes' : `NO: ${verdict.because.join('; ')}`,
    ]);
  }
  return printed.toString();
}
