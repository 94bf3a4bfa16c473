import {
  explore,
  EXPLORE_OPTIONS,
  guardContradictions,
  play,
  scheduleTokenOf,
  shrink,
  workMsFor,
  worstWitness,
  writeToken,
  type Budget,
  type World,
} from '#lab/explore';
import { findGuard, GUARDS, renderGuards, UnknownGuard, USES, type Guard } from '#lab/guard';
import type { FaultName } from '#lab/strategy';
import { GUARD_ROWS } from '#load-tests/guards';
import type { Command } from 'commander';
import { writeFileSync } from 'node:fs';
import { runCommand, writeJson, type Context } from '../command';
import { openExplorer } from '../explorer';
import { EXIT, Failure } from '../failure';
import { guardJson, loadGuards } from '../guard-runs';
import { exploredTable, loadTable, type ExploredGuard } from '../print/guards';
import { wrap } from '../print/wrap';
import { whole } from './numbers';

interface GuardsOptions {
  readonly repeats: number;
  readonly load: boolean;
  readonly explore: boolean;
  readonly list?: true;
  readonly docs?: string;
  readonly json?: string;
}

export function register(program: Command): void {
  program
    .command('guards')
    .description(
      'uses of locks other than the stock: run every guard under load on two replicas, and in every order of steps',
    )
    .argument('[names...]', 'guards (notification/lock) or uses (notification); all')
    .option('--repeats <n>', 'load runs per row', whole(1, 1000), 1)
    .option('--no-load', 'only explore')
    .option('--no-explore', 'only load runs')
    .option('--list', 'list the guards without running them')
    .option('--docs <file>', 'write the page of all guards, without running them: docs/guards.md')
    .option('--json <file>', 'write the verdicts as JSON')
    .action((names: string[], options: GuardsOptions) => {
      const guards = chosen(names);
      if (options.docs !== undefined) {
        writeFileSync(options.docs, renderGuards(USES));
        return undefined;
      }
      if (options.list !== true) return runCommand((context) => runGuards(guards, options, context));
      for (const { name, mechanism } of guards) process.stdout.write(`${wrap(`${name}: ${mechanism}`, 2)}\n`);
      return undefined;
    });
}

/** The guards with these names or of these uses; all without names. Throws `Failure` for an unknown one. */
function chosen(names: readonly string[]): readonly Guard[] {
  try {
    const found = names.flatMap((name) => USES.find((use) => use.name === name)?.guards ?? [findGuard(name)]);
    return names.length === 0 ? GUARDS : [...new Set(found)];
  } catch (error) {
    if (error instanceof UnknownGuard) throw new Failure(error.message, EXIT.usage);
    throw error;
  }
}

async function runGuards(
  guards: readonly Guard[],
  options: GuardsOptions,
  context: Context,
): Promise<number> {
  const rows = GUARD_ROWS.filter(({ guard }) => guards.includes(guard));
  const runs = options.load ? await loadGuards(rows, options.repeats, context) : [];
  if (options.load) process.stdout.write(`${loadTable(runs)}\n`);
  const explored = options.explore ? await exploreAll(guards, context) : [];
  if (options.explore) process.stdout.write(`${exploredTable(explored)}\n`);
  const isFine =
    runs.flat().every(({ verdict }) => verdict.asExpected) &&
    explored.every(({ contradictions }) => contradictions.length === 0);
  if (options.json !== undefined)
    writeJson(options.json, {
      load: runs.flat().map(guardJson),
      explored,
    });
  return isFine ? EXIT.ok : EXIT.notAsExpected;
}

/** Schedules per exploration, after which it says that it is partial. */
const MOST_SCHEDULES = 20_000;

async function exploreAll(guards: readonly Guard[], context: Context): Promise<readonly ExploredGuard[]> {
  const { pool, stop } = await openExplorer(context, 0, guards);
  context.onEnd(stop);
  const all: ExploredGuard[] = [];
  for (const guard of guards)
    for (const fault of faultsOf(guard)) {
      context.signal.throwIfAborted();
      context.progress.update(`exploring ${guard.name}, fault ${fault}`);
      all.push(await exploreGuard(pool.world, guard, fault, context.signal));
    }
  context.progress.clear();
  return all;
}

/** Without a fault, with a dying process, and with each fault for which the guard declares a violation. */
const faultsOf = ({ expected }: Guard): readonly (FaultName | 'none')[] => [
  ...new Set<FaultName | 'none'>(['none', 'kill', ...(Object.keys(expected) as FaultName[])]),
];

async function exploreGuard(
  world: World,
  guard: Guard,
  fault: FaultName | 'none',
  signal: AbortSignal,
): Promise<ExploredGuard> {
  const faults: FaultName[] = fault === 'none' ? [] : [fault];
  const budget: Budget = Object.fromEntries(faults.map((one) => [one, 1]));
  const setup = {
    strategy: guard,
    options: { ...EXPLORE_OPTIONS, workMs: workMsFor(budget) },
    stock: 0,
    processes: ['p1', 'p2'],
  };
  const plan = { setup, budget, faultPlaces: {}, reduce: true };
  const tally = await explore(world, plan, { max: MOST_SCHEDULES, signal });
  const worst = worstWitness(tally);
  const shortest =
    worst === undefined
      ? undefined
      : await play(world, setup, (await shrink(world, plan, worst.witness.choices, worst.kind)).choices, {
          strict: true,
        });
  return {
    guard: guard.name,
    fault,
    schedules: tally.schedules,
    violating: tally.violating,
    partial: tally.partial,
    kinds: Object.fromEntries(tally.kinds),
    ...(shortest !== undefined && { token: writeToken(scheduleTokenOf(setup, shortest)) }),
    contradictions: guardContradictions(guard, faults, tally),
  };
}
