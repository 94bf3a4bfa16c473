import { EXPLORED_LIMITERS, type Catalogued } from '#lab/explore';
import { GUARDS } from '#lab/guard';
import { CATALOGUE } from '#lab/strategy';
import {
  checkDeterminism,
  checkPrograms,
  checkReduction,
  CONDITIONS,
  isDifferent,
  type ConditionName,
  type LeftOut,
  type ReductionFindings,
  type ReductionResult,
} from '#load-tests/selftest';
import { Option, type Command } from 'commander';
import { randomInt } from 'node:crypto';
import { readEarlierRun, runCommand, writeJson, type Context } from '../command';
import { openExplorer } from '../explorer';
import { EXIT, Failure } from '../failure';
import { isFile, loadOwnStrategy } from '../own-file';
import {
  printDeterminism,
  printDifference,
  printProgramDifference,
  printPrograms,
  printReduction,
  printReductionDifference,
} from '../print/selftest';
import { readExplored, readStrategy } from './explore';
import { whole } from './numbers';

const LARGEST_SEED = 0xffff_ffff;

interface DeterminismCommandOptions {
  readonly tokens: number;
  readonly seed?: number;
  readonly condition?: ConditionName;
  readonly json?: string;
}

interface ProgramsCommandOptions {
  readonly count: number;
  readonly seed?: number;
  readonly first: number;
  readonly max: number;
  readonly json?: string;
}

interface ReductionCommandOptions {
  readonly max: number;
  readonly joinStates?: true;
  readonly known?: string;
  readonly json?: string;
}

export function register(program: Command): void {
  const selftest = program.command('selftest').description('check the lab itself');
  selftest
    .command('determinism')
    .argument('[strategies...]', 'strategies (all)')
    .description(
      'replay random schedules and repeat explorations on an idle machine, on a busy one, and while processes are stopped: all results must be identical',
    )
    .option(
      '--tokens <n>',
      'random schedules, spread over strategies and circumstances',
      whole(1, 100_000),
      1000,
    )
    .option('--seed <n>', 'seed of the schedules (random)', whole(0, LARGEST_SEED))
    .addOption(new Option('--condition <name>', 'only this condition (all)').choices(Object.keys(CONDITIONS)))
    .option('--json <file>', 'write results and differences as JSON')
    .action((names: string[], options: DeterminismCommandOptions) =>
      runCommand((context) => determinism(names, options, context)),
    );
  selftest
    .command('reduction')
    .argument(
      '[strategies...]',
      'strategies, guards and limiters of the catalogue (all), or files with a lock or a strategy of yours',
    )
    .description(
      'run every circumstance of the matrix, and each fault of guards and limiters, with and without partial-order reduction: both must show the same endings',
    )
    .option(
      '--max <n>',
      'leave out circumstances with more schedules without the reduction',
      whole(1, 1_000_000),
      2000,
    )
    .option(
      '--join-states',
      'without the reduction, run what follows a state once: faster, but broken locks with correct data are not compared',
    )
    .option(
      '--known <file>',
      'go on with the JSON of an earlier run: what it compared is not run again, if the code of the strategy is unchanged',
    )
    .option('--json <file>', 'write the results as JSON')
    .action((names: string[], options: ReductionCommandOptions) =>
      runCommand((context) => reduction(names, options, context)),
    );
  selftest
    .command('programs')
    .description(
      'run random programs of Redis and SQL, with random faults, with and without partial-order reduction: both must show the same endings',
    )
    .option('--count <n>', 'programs', whole(1, 100_000), 200)
    .option('--seed <n>', 'seed of the programs (random)', whole(0, LARGEST_SEED))
    .option('--first <n>', 'number of the first program', whole(0, 1_000_000), 0)
    .option(
      '--max <n>',
      'leave out programs with more schedules without the reduction',
      whole(1, 1_000_000),
      2000,
    )
    .option('--json <file>', 'write the result as JSON')
    .action((options: ProgramsCommandOptions) => runCommand((context) => programs(options, context)));
}

const EXPLORED: readonly Catalogued[] = [...CATALOGUE, ...GUARDS, ...EXPLORED_LIMITERS];

/** The name of a guard looks like that of a file. */
const readNameOrFile = (name: string): Catalogued =>
  EXPLORED.find((one) => one.name === name) ??
  (isFile(name) ? loadOwnStrategy(name).strategy : readExplored(name));

async function reduction(
  names: readonly string[],
  { max, joinStates, known, json }: ReductionCommandOptions,
  context: Context,
): Promise<number> {
  const { progress, signal, onEnd } = context;
  const strategies = names.length === 0 ? EXPLORED : names.map(readNameOrFile);
  const joinsStates = joinStates === true;
  const before = known === undefined ? NO_FINDINGS : readFindings(known, joinsStates);
  const { pool, conditions, stop } = await openExplorer(context, 0, strategies);
  onEnd(stop);
  const results: ReductionResult[] = [];
  const leftOut: LeftOut[] = [];
  let isPrinted = false;
  const print = (isComplete: boolean): void => {
    if (isPrinted) return;
    isPrinted = true;
    progress.clear();
    process.stdout.write(`${printReduction({ results, leftOut }, max, isComplete)}\n`);
    if (json !== undefined)
      writeJson(json, { results, leftOut, max, joinsStates, isComplete, machine: conditions });
  };
  onEnd(() => {
    print(false); // after Ctrl-C: what is known so far
    return Promise.resolve();
  });
  await checkReduction(pool.world, {
    strategies,
    max,
    joinsStates,
    known: before,
    signal,
    onProgress: (text) => {
      progress.update(text);
    },
    onResult: (result) => {
      results.push(result);
      if (isDifferent(result) || result.combinations.length > 0)
        progress.say(printReductionDifference(result));
    },
    onLeftOut: (circumstance) => leftOut.push(circumstance),
  });
  print(!signal.aborted);
  return results.some(isDifferent) ? EXIT.notAsExpected : EXIT.ok;
}

const NO_FINDINGS: ReductionFindings = { results: [], leftOut: [] };

/** Reads what `--json` wrote in an earlier check of the same kind. */
function readFindings(file: string, joinsStates: boolean): ReductionFindings {
  const found = readEarlierRun<ReductionFindings & { readonly joinsStates: boolean }>(
    file,
    ({ results, leftOut }) => Array.isArray(results) && Array.isArray(leftOut),
    'is no result of this check: give --known a JSON file written by lab selftest reduction --json',
  );
  if (found.joinsStates !== joinsStates)
    throw new Failure(
      `${file} was written ${found.joinsStates ? 'with' : 'without'} --join-states, and compares something else`,
      EXIT.usage,
    );
  return found;
}

async function determinism(
  names: readonly string[],
  { tokens, seed = randomInt(LARGEST_SEED), condition, json }: DeterminismCommandOptions,
  context: Context,
): Promise<number> {
  const { progress, signal, onEnd } = context;
  const strategies = names.length === 0 ? CATALOGUE : names.map(readStrategy);
  const { pool, conditions, stack, stop } = await openExplorer(context, 0, strategies);
  onEnd(stop);
  progress.say(`seed ${seed}`);
  const result = await checkDeterminism(pool.world, {
    tokens,
    seed,
    strategies,
    ...(condition !== undefined && { conditions: [condition] }),
    servers: stack,
    signal,
    onProgress: (text) => {
      progress.update(text);
    },
    onDifference: (difference) => {
      progress.say(printDifference(difference));
    },
  });
  progress.clear();
  process.stdout.write(`${printDeterminism(result)}\n`);
  if (json !== undefined) writeJson(json, { ...result, machine: conditions });
  return result.differences.length === 0 ? EXIT.ok : EXIT.notAsExpected;
}

async function programs(
  { count, seed = randomInt(LARGEST_SEED), first, max, json }: ProgramsCommandOptions,
  context: Context,
): Promise<number> {
  const { progress, signal, onEnd } = context;
  const { pool, conditions, stop } = await openExplorer(context, 0, []);
  onEnd(stop);
  progress.say(`seed ${seed}`);
  const result = await checkPrograms(pool.world, {
    seed,
    first,
    count,
    max,
    signal,
    onProgress: (text) => {
      progress.update(text);
    },
    onDifference: (difference) => {
      progress.say(printProgramDifference(difference));
    },
  });
  progress.clear();
  process.stdout.write(`${printPrograms(result)}\n`);
  if (json !== undefined) writeJson(json, { ...result, max, machine: conditions });
  return result.differences.length === 0 ? EXIT.ok : EXIT.notAsExpected;
}
