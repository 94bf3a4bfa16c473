import { CATALOGUE } from '#lab/strategy';
import { checkDeterminism, CONDITIONS, type ConditionName } from '#load-tests/selftest';
import { Option, type Command } from 'commander';
import { randomInt } from 'node:crypto';
import { runCommand, writeJson, type Context } from '../command';
import { openExplorer } from '../explorer';
import { EXIT } from '../failure';
import { printDeterminism, printDifference } from '../print/selftest';
import { readStrategy } from './explore';
import { whole } from './numbers';

const LARGEST_SEED = 0xffff_ffff;

interface DeterminismCommandOptions {
  readonly tokens: number;
  readonly seed?: number;
  readonly condition?: ConditionName;
  readonly json?: string;
}

export function register(program: Command): void {
  program
    .command('selftest')
    .description('check the lab itself')
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
