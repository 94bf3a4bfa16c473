import { ensureInstalled, projectRoot, ServerPark } from '#lab/stack';
import { MARKS } from '#lab/verdict';
import Table from 'cli-table3';
import type { Command } from 'commander';
import { join, relative } from 'node:path';
import { DRILLS, runDrill, type Drill, type DrillRun } from '#load-tests/drills';
import { untilProved } from '#load-tests/run';
import { runCommand, writeJson, type Context } from '../command';
import { EXIT, Failure } from '../failure';
import { prune } from '../housekeeping';
import { writeDrillFolder } from '../run-folder';
import { whole } from './load';

interface DrillOptions {
  readonly repeats: number;
  readonly list?: true;
  readonly timeline?: true;
  readonly json?: string;
}

/** A drill and what each of its runs came to. */
export interface Drilled {
  readonly drill: Drill;
  readonly runs: readonly DrillRun[];
}

export function register(program: Command): void {
  program
    .command('drill')
    .description(
      'failures of servers and networks, played with buyers who hold locks: failover, cut, restart, …',
    )
    .argument('[names...]', 'drills, or beginnings of their names; none: all')
    .option('--repeats <n>', 'runs of each', whole(1, 1000), 1)
    .option('--list', 'only say which there are')
    .option('--timeline', 'print what happened, moment by moment')
    .option('--json <file>', 'write evidence and verdicts as JSON')
    .action((names: string[], options: DrillOptions) => {
      if (options.list !== true) return runCommand((context) => drill(names, options, context));
      for (const { name, shows } of chosen(names)) process.stdout.write(`${name}: ${shows}\n`);
      return undefined;
    });
}

async function drill(names: readonly string[], options: DrillOptions, context: Context): Promise<number> {
  const drilled = await runDrills(chosen(names), options.repeats, context);
  if (options.timeline === true) for (const { runs } of drilled) runs.forEach(printTimeline);
  process.stdout.write(`${drillTable(drilled)}\n`);
  process.stdout.write(`reports in ${relative(process.cwd(), join(projectRoot(), 'runs'))}/\n`);
  if (options.json !== undefined) writeJson(options.json, { drills: drillsJson(drilled) });
  return drilled.every(allAsExpected) ? EXIT.ok : EXIT.notAsExpected;
}

function chosen(names: readonly string[]): readonly Drill[] {
  const unknown = names.find((name) => !DRILLS.some((one) => one.name.startsWith(name)));
  if (unknown !== undefined)
    throw new Failure(`there is no drill "${unknown}": "lab drill --list" names them`, EXIT.usage);
  return names.length === 0
    ? DRILLS
    : DRILLS.filter((one) => names.some((name) => one.name.startsWith(name)));
}

/** Runs each drill so many times on servers of its own: every run counts, whatever it says. */
const runDrills = (drills: readonly Drill[], repeats: number, context: Context): Promise<Drilled[]> =>
  playAll(drills, repeats, runDrill, context);

/** Runs each drill once, and again where it has proved nothing. */
export const proveDrills = (drills: readonly Drill[], context: Context): Promise<Drilled[]> =>
  playAll(
    drills,
    1,
    (park, drill) =>
      untilProved(
        () => runDrill(park, drill),
        (because) => {
          context.progress.say(`${drill.name} has proved nothing and is played again: ${because}`);
        },
      ),
    context,
  );

async function playAll(
  drills: readonly Drill[],
  repeats: number,
  play: (park: ServerPark, drill: Drill) => Promise<DrillRun>,
  { progress, signal, onEnd }: Context,
): Promise<Drilled[]> {
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
  const drilled: Drilled[] = [];
  for (const [i, drill] of drills.entries()) {
    const runs: DrillRun[] = [];
    for (let n = 1; n <= repeats; n++) {
      signal.throwIfAborted();
      progress.update(`[${i + 1}/${drills.length}] ${drill.name}: run ${n} of ${repeats}`);
      runs.push(await play(park, drill));
    }
    drilled.push({ drill, runs });
    const told = toldOf(runs);
    if (told !== undefined) writeDrillFolder(told);
    progress.say(`[${i + 1}/${drills.length}] ${drill.name}: ${inWords({ drill, runs })}`);
  }
  return drilled;
}

export const drillsJson = (drilled: readonly Drilled[]): readonly object[] =>
  drilled.map(({ drill: { name }, runs }) => ({
    name,
    runs: runs.map(({ evidence, verdict }) => ({ evidence, verdict })),
  }));

export const allAsExpected = ({ runs }: Drilled): boolean => runs.every(({ verdict }) => verdict.asExpected);

function inWords({ runs }: Drilled): string {
  const good = runs.filter(({ verdict }) => verdict.asExpected).length;
  const words = [...new Set(runs.map(({ verdict }) => MARKS[verdict.mark].words))].join(', ');
  return `${words}, ${good} of ${runs.length} as documented`;
}

/** Of several runs the one that is shown: the first that is not as documented, or the last. */
const toldOf = (runs: readonly DrillRun[]): DrillRun | undefined =>
  runs.find(({ verdict }) => !verdict.asExpected) ?? runs.at(-1);

/** One line for each drill: what it shows, what the balances say. */
export function drillTable(drilled: readonly Drilled[]): string {
  const table = new Table({
    head: ['drill', 'what it shows', 'buyers', 'sold', 'verdict', 'as documented'],
    style: { head: [], border: [] },
    wordWrap: true,
    colWidths: [34, 50],
  });
  for (const one of drilled) {
    const { drill, runs } = one;
    const told = toldOf(runs);
    if (told === undefined) continue;
    const { evidence, verdict } = told;
    const figures = Object.entries(evidence.figures).map(([name, value]) => `\n${name}: ${value}`);
    const good = runs.filter((run) => run.verdict.asExpected).length;
    table.push([
      drill.name,
      `${drill.shows}\n(${drill.certainBy})${figures.join('')}`,
      evidence.buyers.map(({ name, code }) => `${name} ${code}`).join('\n'),
      `${verdict.sold}/${evidence.initial}`,
      [`${MARKS[verdict.mark].sign} ${MARKS[verdict.mark].words}`, ...verdict.violations].join('\n'),
      good === runs.length
        ? `${good}/${runs.length}`
        : `${good}/${runs.length}: ${verdict.because.join('; ')}`,
    ]);
  }
  return table.toString();
}

function printTimeline({ drill, evidence: { timeline } }: DrillRun): void {
  const begun = timeline[0]?.at ?? 0;
  process.stdout.write(`${drill.name}\n`);
  for (const { at, who, what } of timeline)
    process.stdout.write(`${((at - begun) / 1000).toFixed(1).padStart(9)} ms  ${who.padEnd(10)} ${what}\n`);
}
