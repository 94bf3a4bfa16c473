import { ensureInstalled, projectRoot, ServerPark } from '#lab/stack';
import { count } from '#lab/step';
import type { Command } from 'commander';
import { join, relative } from 'node:path';
import { DRILLS, runDrill, type Drill, type DrillRun } from '#load-tests/drills';
import { untilProved } from '#load-tests/run';
import { runCommand, writeJson, type Context } from '../command';
import { EXIT, Failure } from '../failure';
import { prune } from '../housekeeping';
import {
  allAsExpected,
  drillLine,
  drillTable,
  printTimeline,
  shownRun,
  type DrillRuns,
} from '../print/drill';
import { wrap } from '../print/wrap';
import { runsDir, writeDrillFolder } from '#load-tests/results';
import { whole } from './numbers';

interface DrillOptions {
  readonly repeats: number;
  readonly list?: true;
  readonly timeline?: true;
  readonly verbose?: true;
  readonly json?: string;
}

export function register(program: Command): void {
  program
    .command('drill')
    .description('make servers and networks fail while buyers hold locks: failover, network cut, restart, …')
    .argument('[names...]', 'drills, or prefixes of their names (all)')
    .option('--repeats <n>', 'runs per drill', whole(1, 1000), 1)
    .option('--list', 'list the drills without running them')
    .option('--timeline', 'print all events with their times')
    .option('--verbose', 'also print what makes each result certain, answers and figures')
    .option('--json <file>', 'write evidence and verdicts as JSON')
    .action((names: string[], options: DrillOptions) => {
      if (options.list !== true) return runCommand((context) => drill(names, options, context));
      for (const { name, shows } of chosen(names)) process.stdout.write(`${wrap(`${name}: ${shows}`, 2)}\n`);
      return undefined;
    });
}

async function drill(names: readonly string[], options: DrillOptions, context: Context): Promise<number> {
  const drilled = await runDrills(chosen(names), options.repeats, context);
  process.stdout.write(
    `${drilled.filter(allAsExpected).length} of ${count(drilled.length, 'drill')} as documented; reports in ${relative(process.cwd(), runsDir())}/\n${drillTable(drilled, options.verbose === true)}\n`,
  );
  if (options.timeline === true)
    for (const { runs } of drilled) for (const run of runs) process.stdout.write(`${printTimeline(run)}\n`);
  if (options.json !== undefined) writeJson(options.json, { drills: drillsJson(drilled) });
  return drilled.every(allAsExpected) ? EXIT.ok : EXIT.notAsExpected;
}

function chosen(names: readonly string[]): readonly Drill[] {
  const unknown = names.find((name) => !DRILLS.some((one) => one.name.startsWith(name)));
  if (unknown !== undefined)
    throw new Failure(`there is no drill "${unknown}": "npx lab drill --list" lists all drills`, EXIT.usage);
  return names.length === 0
    ? DRILLS
    : DRILLS.filter((one) => names.some((name) => one.name.startsWith(name)));
}

/** Runs each drill `repeats` times on new servers; every run counts, also one that proves nothing. */
const runDrills = (drills: readonly Drill[], repeats: number, context: Context): Promise<DrillRuns[]> =>
  runAll(drills, repeats, runDrill, context);

/** Runs each drill once, and repeats it when it proved nothing. */
export const proveDrills = (drills: readonly Drill[], context: Context): Promise<DrillRuns[]> =>
  runAll(
    drills,
    1,
    (park, drill) =>
      untilProved(
        () => runDrill(park, drill),
        (because) => {
          context.progress.say(`${drill.name} proved nothing and is repeated: ${because}`);
        },
      ),
    context,
  );

async function runAll(
  drills: readonly Drill[],
  repeats: number,
  runOne: (park: ServerPark, drill: Drill) => Promise<DrillRun>,
  { progress, signal, onEnd }: Context,
): Promise<DrillRuns[]> {
  const say = (line: string): void => {
    progress.say(line);
  };
  await prune(say);
  await ensureInstalled(
    say,
    drills.flatMap(({ needs = [] }) => needs),
  );
  const park = await ServerPark.open(join(projectRoot(), '.lab', `drill-${process.pid}`));
  onEnd(() => park.stop());
  const drilled: DrillRuns[] = [];
  for (const [i, drill] of drills.entries()) {
    const runs: DrillRun[] = [];
    for (let n = 1; n <= repeats; n++) {
      signal.throwIfAborted();
      progress.update(`[${i + 1}/${drills.length}] ${drill.name}: run ${n} of ${repeats}`);
      runs.push(await runOne(park, drill));
    }
    drilled.push({ drill, runs });
    const shown = shownRun(runs);
    if (shown !== undefined) writeDrillFolder(shown);
    progress.say(`[${i + 1}/${drills.length}] ${drill.name}: ${drillLine({ drill, runs })}`);
  }
  return drilled;
}

export const drillsJson = (drilled: readonly DrillRuns[]): readonly object[] =>
  drilled.map(({ drill: { name }, runs }) => ({
    name,
    runs: runs.map(({ evidence, verdict }) => ({ evidence, verdict })),
  }));
