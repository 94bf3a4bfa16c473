import { count } from '#lab/step';
import { projectRoot } from '#lab/stack';
import { componentsOf } from '#lab/strategy';
import type { Command } from 'commander';
import { join, relative } from 'node:path';
import { runLoad, strategiesOf, untilProved } from '#load-tests/run';
import { DRILLS } from '#load-tests/drills';
import { GUARD_ROWS } from '#load-tests/guards';
import { DEMO, MORE, type Scenario } from '#load-tests/scenarios';
import { MARKS } from '#lab/verdict';
import { runCommand, writeJson, type Context } from '../command';
import { demoTable, type DemoRow } from '../print/demo';
import { loadTable } from '../print/guards';
import { allAsExpected, drillTable } from '../print/drill';
import { EXIT } from '../failure';
import { guardJson, loadGuards } from '../guard-runs';
import { runJson, runsDir, writeRunFolder } from '#load-tests/results';
import { startLab } from '../session';
import { drillsJson, proveDrills } from './drill';

export function register(program: Command): void {
  program
    .command('demo')
    .description('run the main scenarios on a new lab, and print one table')
    .option('--all', 'also run the other scenarios, all guards and all drills; takes some minutes')
    .option(
      '--verbose',
      'print every reason of a verdict, what makes it certain, and the figures of the drills',
    )
    .option('--json <file>', 'write all verdicts as JSON: {rows, guards, drills}')
    .action((options: { all?: true; verbose?: true; json?: string }) =>
      runCommand(async (context) => {
        const all = options.all === true;
        const rows = await runAll(context, all ? [...DEMO, ...MORE] : DEMO);
        const guarded = all ? await loadGuards(GUARD_ROWS, 1, context) : [];
        const drilled = all ? await proveDrills(DRILLS, context) : [];
        const good =
          rows.filter(({ run }) => run.verdict.asExpected).length +
          guarded.flat().filter(({ verdict }) => verdict.asExpected).length +
          drilled.filter(allAsExpected).length;
        const documented = rows.length + guarded.length + drilled.length;
        const verbose = options.verbose === true;
        process.stdout.write(`${demoTable(rows, verbose)}\n`);
        if (all) process.stdout.write(`${loadTable(guarded)}\n${drillTable(drilled, verbose)}\n`);
        process.stdout.write(
          `${good} of ${count(documented, 'row')} as documented; reports in ${relative(process.cwd(), runsDir())}/\n`,
        );
        if (options.json !== undefined) {
          writeJson(options.json, {
            rows: rows.map(({ scenario, run }) => ({ scenario: scenario.name, ...runJson(run) })),
            guards: guarded.flat().map(guardJson),
            drills: drillsJson(drilled),
          });
        }
        return good === documented ? EXIT.ok : EXIT.notAsExpected;
      }),
    );
}

async function runAll(
  { progress, signal, onEnd }: Context,
  scenarios: readonly Scenario[],
): Promise<DemoRow[]> {
  const components = componentsOf(scenarios.flatMap(({ plan }) => strategiesOf(plan)));
  const dir = join(projectRoot(), '.lab', `demo-${process.pid}`);
  const lab = await startLab(dir, { progress, signal, components });
  onEnd(lab.stop);
  const rows: DemoRow[] = [];
  for (const [i, scenario] of scenarios.entries()) {
    const label = `[${i + 1}/${scenarios.length}] ${scenario.name}`;
    progress.update(label);
    const run = await untilProved(
      () =>
        runLoad(lab.target, lab.control, scenario.plan, {
          progress: (text) => {
            progress.update(`${label}: ${text}`);
          },
        }),
      (because) => {
        progress.say(`${label} proved nothing and is repeated: ${because}`);
      },
    );
    writeRunFolder(run, scenario.name);
    rows.push({ scenario, run });
    progress.say(
      `${label}: ${MARKS[run.verdict.verdict === 'safe' ? 'safe' : run.verdict.mark].words}${run.verdict.asExpected ? '' : ', NOT as documented'}`,
    );
  }
  return rows;
}
