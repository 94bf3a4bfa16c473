import {
  CROSSED_CARTS,
  EXPLORE_OPTIONS,
  FaultsSyntaxError,
  LEAST_LEASE_MS,
  contradictions,
  COUNTED_SCHEDULES,
  countAllOrders,
  findExplored,
  isStrategy,
  guardContradictions,
  mixed,
  NotMixable,
  systemsOf,
  titleOf,
  drawLanes,
  expectedOf,
  judgeCell,
  unknownText,
  isUncounted,
  nextThatPasses,
  parseBudget,
  play,
  scheduleTokenOf,
  shrink,
  stuckText,
  workMsFor,
  worstWitness,
  writeToken,
  type Budget,
  type Cell,
  type Catalogued,
  type Explorer,
  type Plan,
  type Tally,
  type World,
  withTimeLimit,
} from '#lab/explore';
import { UnknownGuard } from '#lab/guard';
import { UnknownLimiter } from '#lab/limit';
import { count } from '#lab/step';
import {
  NoCarts,
  UnknownStrategy,
  cartStrategy,
  findStrategy,
  type Capability,
  type Options,
  type Strategy,
  type FaultName,
  underOptions,
} from '#lab/strategy';
import { harmOf, mechanismOf, worstFirst } from '#lab/verdict';
import { Option, type Command } from 'commander';
import { performance } from 'node:perf_hooks';
import { runCommand, writeJson, type Context } from '../command';
import { openExplorer } from '../explorer';
import { EXIT, Failure } from '../failure';
import { printTally, tallyLine, type ShownWitness, type TallyDetails } from '../print/tally';
import { wordOptions } from './load';
import { limitMs, timeOption, whole } from './numbers';

export interface ExploreOptions {
  readonly actors: number;
  readonly stock: number;
  readonly beside?: string;
  readonly sameProcess?: true;
  readonly crossedCarts?: true;
  readonly faults: string;
  readonly bound?: number;
  readonly max?: number;
  /** Seconds; 0: no limit. */
  readonly time: number;
  readonly reduction: boolean;
  readonly orders?: true;
  readonly workers: number;
  readonly workMs?: number;
  readonly leaseMs: number;
  readonly waitMs: number;
  readonly wait?: Options['wait'];
  readonly isolation?: Options['isolation'];
  readonly verbose?: true;
  readonly json?: string;
}

export function register(program: Command): void {
  const command = program
    .command('explore')
    .argument('<strategy>', 'strategy to explore, or a guard of an action: notification/lock')
    .description('run every interleaving of the steps of two or three buyers, with faults, on real servers')
    .option('--actors <n>', 'buyers', whole(2, 3), 2)
    .option('--stock <units>', 'initial units', whole(0, 9), 1)
    .option('--beside <strategy>', 'every second buyer uses this strategy: two systems on one balance')
    .option('--same-process', 'run all buyers in one process (default: one process per buyer)')
    .option(
      '--crossed-carts',
      'each buyer orders the same two products, every second buyer in opposite order',
    )
    .addOption(new Option('--faults <faults>', 'fault budget, e.g. lapse:1,kill:1').default('', 'none'))
    .option('--bound <n>', 'maximum number of preemptions (disables the reduction)', whole(0, 20))
    .option('--max <n>', 'maximum number of schedules', whole(1, 10_000_000))
    .addOption(
      timeOption(
        '--time <time>',
        'end the search after this time, e.g. 30s or 10m; 0: run every schedule',
        DEFAULT_SECONDS,
      ),
    )
    .option('--no-reduction', 'also run equivalent interleavings (no partial-order reduction)')
    .option(
      '--orders',
      `count all orders of steps, and those that go wrong, also where that takes more than ${COUNTED_SCHEDULES} schedules`,
    )
    .option('--workers <n>', 'worker threads', whole(1, 8), 2)
    .option(
      '--work-ms <ms>',
      'virtual duration of the work inside the critical section (0; with slow: 10000)',
      whole(0, 10_000),
    )
    .option(
      '--lease-ms <ms>',
      'virtual lease time of a lock',
      whole(LEAST_LEASE_MS, 60_000),
      EXPLORE_OPTIONS.leaseMs,
    )
    .option('--wait-ms <ms>', 'virtual maximum wait for a lock', whole(0, 30_000), EXPLORE_OPTIONS.waitMs)
    .option(
      '--verbose',
      'also print the lanes of every shortest schedule, the rate, the reduction and the bound',
    )
    .option('--json <file>', 'write the result as JSON');
  wordOptions(command).action((name: string, options: ExploreOptions) =>
    runCommand((context) => explorePlan(readPlan(name, options), options, context)),
  );
}

/** A search of a strategy or guard of the catalogue. */
interface CataloguedPlan extends Plan {
  readonly setup: Plan['setup'] & { readonly strategy: Catalogued };
}

/** What a command line asks for. Throws a usage failure when a name is unknown, or when options do not fit. */
export function readPlan(name: string, options: ExploreOptions): CataloguedPlan {
  if (options.orders === true && options.bound !== undefined)
    throw new Failure('--orders and --bound cannot be combined: omit one of them', EXIT.usage);
  return planOf(withBeside(readExplored(name, options), options), readBudget(options.faults), options);
}

/** Seconds of a search without `--time`. */
const DEFAULT_SECONDS = 60;

/** Finds a strategy. Throws a usage failure when it does not exist. */
export function readStrategy(name: string): Strategy {
  try {
    return findStrategy(name);
  } catch (error) {
    if (error instanceof UnknownStrategy) throw new Failure(error.message, EXIT.usage);
    throw error;
  }
}

/** Finds a strategy or guard that the options fit. Throws a usage failure otherwise. */
export function readExplored(
  name: string,
  { crossedCarts }: Pick<ExploreOptions, 'crossedCarts'> = {},
): Catalogued {
  try {
    const found = findExplored(name);
    if (crossedCarts !== true) return found;
    if (!isStrategy(found))
      throw new Failure(`${name} has no carts: --crossed-carts needs a strategy`, EXIT.usage);
    return cartStrategy(found);
  } catch (error) {
    if (/\.[cm]?[jt]s$/.test(name))
      throw new Failure(`${name} is a file of yours: explore it by "npx lab verify ${name}"`, EXIT.usage);
    if (
      error instanceof NoCarts ||
      error instanceof UnknownStrategy ||
      error instanceof UnknownGuard ||
      error instanceof UnknownLimiter
    )
      throw new Failure(error.message, EXIT.usage);
    throw error;
  }
}

function readBudget(text: string): Budget {
  try {
    return parseBudget(text);
  } catch (error) {
    if (error instanceof FaultsSyntaxError) throw new Failure(error.message, EXIT.usage);
    throw error;
  }
}

/** The strategy, or the two of `--beside`. Throws a usage failure when they cannot be mixed. */
function withBeside(strategy: Catalogued, { beside, crossedCarts }: ExploreOptions): Catalogued {
  if (beside === undefined) return strategy;
  if (!isStrategy(strategy))
    throw new Failure(`--beside is for strategies on a balance, and ${strategy.name} is a guard`, EXIT.usage);
  if (crossedCarts === true)
    throw new Failure('--beside and --crossed-carts cannot be combined: omit one of them', EXIT.usage);
  const other = readStrategy(beside);
  if (other.name === strategy.name)
    throw new Failure(`--beside must be another strategy than ${strategy.name}`, EXIT.usage);
  try {
    return mixed(strategy, other);
  } catch (error) {
    if (error instanceof NotMixable) throw new Failure(error.message, EXIT.usage);
    throw error;
  }
}

async function explorePlan(plan: CataloguedPlan, options: ExploreOptions, context: Context): Promise<number> {
  const { progress, signal, onEnd } = context;
  const { budget, setup } = plan;
  const { strategy } = setup;
  const shownAs = !isStrategy(strategy) ? strategy.name : titleOf(strategy);
  const { pool, conditions, stop } = await openExplorer(context, options.workers, [strategy]);
  onEnd(stop);
  const begun = performance.now();
  const seconds = (): number => (performance.now() - begun) / 1000;
  let latest: Tally | undefined;
  let isPrinted = false;
  onEnd(() => {
    if (isPrinted || !signal.aborted) return Promise.resolve();
    if (latest === undefined) progress.say(`${shownAs}: interrupted before the first schedule ended`);
    else
      process.stdout.write(
        `${printTally({ name: shownAs }, plan, { ...latest, partial: true }, seconds(), [], { contradictions: [], verbose: false })}\n`,
      );
    return Promise.resolve();
  });
  let firstShown: Promise<void> | undefined;
  const tally = await pool.explore(plan, {
    signal: withTimeLimit(signal, limitMs(options.time)),
    ...(options.max !== undefined && { max: options.max }),
    onProgress: (found, open) => {
      latest = found;
      progress.update(tallyLine(shownAs, found, open, seconds()));
      firstShown ??= open > 0 ? showFirst(pool.world, plan, found, progress, seconds) : undefined;
    },
    onStuck: (where) => {
      progress.say(`${stuckText(where)}: an endless loop, or a very slow machine (Ctrl-C ends the search)`);
    },
  });
  const took = seconds();
  await firstShown;
  const floor = floorOf(tally, pool.size, await pool.world.roundTrips());
  const shown = await showWitnesses(pool.world, plan, tally, (kind) => {
    progress.update(`${shownAs}: looking for the shortest schedule with ${kind}`);
  });
  const interleavings = await countOrders(pool, plan, tally, {
    signal: withTimeLimit(signal, limitMs(options.time)),
    ...(options.orders === true && { max: Infinity }),
    onProgress: (schedules) => {
      progress.update(`${shownAs}: ${count(schedules, 'schedule')} run to count all orders of steps`);
    },
  });
  progress.clear();
  isPrinted = true;
  const cell = cellOfPlan(plan);
  const verdict = judgeCell(tally, cell.about);
  const contradicting = !isStrategy(strategy)
    ? guardContradictions(strategy, Object.keys(budget) as FaultName[], tally)
    : isTwoSystems(plan)
      ? [] // the catalogue has no expectation for two systems
      : contradictions(underOptions(strategy, setup.options), cell, tally);
  process.stdout.write(
    `${printTally({ name: shownAs }, plan, tally, took, shown, { max: options.max, floor, interleavings, contradictions: contradicting, verbose: options.verbose === true })}\n`,
  );
  if (options.json !== undefined)
    writeJson(options.json, {
      strategy: strategy.name,
      options: setup.options,
      stock: setup.stock,
      processes: setup.processes,
      carts: setup.carts ?? null,
      faults: budget,
      bound: plan.bound ?? null,
      reduction: plan.reduce,
      schedules: tally.schedules,
      redundant: tally.redundant,
      violating: tally.violating,
      harms: tally.harms,
      interleavings: interleavings === 'too many' ? null : (interleavings ?? null),
      violations: Object.fromEntries(tally.kinds),
      protections: Object.fromEntries(tally.protections),
      fired: Object.fromEntries(tally.fired),
      prevented: tally.prevented,
      partial: tally.partial,
      mark: verdict.mark,
      because: verdict.reason === undefined ? null : unknownText(verdict.reason),
      reason: verdict.reason ?? null,
      promise:
        isStrategy(strategy) && !isTwoSystems(plan)
          ? (expectedOf(underOptions(strategy, setup.options), cell) ?? null)
          : null,
      contradictions: contradicting,
      asExpected: contradicting.length === 0,
      witnesses: shown,
      schedulesPerSecond: Math.round(tally.schedules / took),
      floorPerSecond: Math.round(floor),
      ratioToFloor: tally.schedules / took / floor,
      conditions,
    });
  if (verdict.mark === 'unknown') return EXIT.unknown;
  return contradicting.length === 0 ? EXIT.ok : EXIT.notAsExpected;
}

/** All orders of steps by harm. Undefined: they cannot be counted, or none goes wrong. */
export async function countOrders(
  pool: Explorer,
  plan: Plan,
  tally: Tally,
  limits?: Parameters<typeof countAllOrders>[2],
): Promise<TallyDetails['interleavings']> {
  const { setup, bound } = plan;
  if (!isStrategy(setup.strategy) || bound !== undefined || !isUncounted(tally)) return tally.interleavings;
  return (await countAllOrders(pool, plan, limits)) ?? 'too many';
}

/**
 * Schedules per second if the round trips of the actors, one after another in each worker, were the only cost: no reset,
 * no inspection of locks, no computation.
 */
function floorOf({ schedules, calls }: Tally, workers: number, trip: { redis: number; sql: number }): number {
  return (1000 * workers * schedules) / (calls.redis * trip.redis + calls.sql * trip.sql);
}

/** Prints the first violation while the search continues; undefined: there is none yet. */
function showFirst(
  world: World,
  { setup }: Plan,
  tally: Tally,
  progress: Context['progress'],
  seconds: () => number,
): Promise<void> | undefined {
  const worst = worstWitness(tally);
  if (worst === undefined) return undefined;
  const { kind, witness } = worst;
  const found = `after ${count(tally.schedules, 'schedule')} (${seconds().toFixed(1)} s)`;
  return play(world, setup, witness.choices, { strict: true }).then((played) => {
    progress.say(
      `${found} the first with ${kind}; the search continues\n  npx lab replay ${writeToken(scheduleTokenOf(setup, played))}`,
    );
  });
}

/** The shortest schedule of each kind of violation, the worst first. A schedule with several kinds is returned once. */
async function showWitnesses(
  world: World,
  plan: Plan,
  tally: Tally,
  onKind: (kind: string) => void,
): Promise<ShownWitness[]> {
  const shown = new Map<string, ShownWitness>();
  for (const kind of worstFirst(tally.witnesses.keys())) {
    const witness = tally.witnesses.get(kind);
    if (witness === undefined) continue;
    onKind(kind);
    const played = await shrink(world, plan, witness.choices, kind);
    const token = writeToken(scheduleTokenOf(plan.setup, played));
    if (shown.has(token)) continue;
    const { violations } = played.verdict;
    // the next strategy is determined once, for the worst kind
    const passes =
      shown.size === 0 && harmOf(kind) !== 'lock-broken' && !isTwoSystems(plan)
        ? await nextThatPasses(world, plan.setup, played.choices)
        : undefined;
    shown.set(token, {
      mechanism: mechanismOf(played.history, violations) ?? '',
      ...(passes !== undefined && { passes: passes.name }),
      kinds: violations.map((violation) => violation.kind),
      sentences: violations.map(({ sentence }) => sentence),
      token,
      lanes: drawLanes(played.history, played.verdict),
    });
  }
  return [...shown.values()];
}

const isTwoSystems = ({ setup: { strategy } }: Plan): boolean =>
  isStrategy(strategy) && systemsOf(strategy).length > 1;

function planOf(strategy: Catalogued, budget: Budget, options: ExploreOptions): CataloguedPlan {
  const { actors, stock, sameProcess, crossedCarts, bound, leaseMs, waitMs, wait, isolation } = options;
  const [cart, crossed] = CROSSED_CARTS;
  const workMs = options.workMs ?? workMsFor(budget);
  return {
    setup: {
      strategy,
      options: {
        ...EXPLORE_OPTIONS,
        leaseMs,
        waitMs,
        workMs,
        ...(wait && { wait }),
        ...(isolation && { isolation }),
      },
      stock,
      processes: ['p1', 'p2', 'p3'].slice(0, actors).map((name) => (sameProcess === true ? 'p1' : name)),
      ...(crossedCarts === true && { carts: [cart, crossed, cart].slice(0, actors) }),
    },
    budget,
    faultPlaces: {},
    ...(bound !== undefined && { bound }),
    reduce: options.reduction && bound === undefined,
  };
}

/** The capability that a single fault tests. */
const PROMISES: Readonly<Record<string, Capability>> = {
  kill: 'survivesDeadHolder',
  slow: 'survivesSlowWork',
};

/** The capability that a run without faults tests. */
function undisturbed({ carts, processes }: Plan['setup']): Capability {
  if (carts !== undefined) return 'servesCrossedCarts';
  return processes.every((name) => name === 'p1') ? 'exactInOneProcess' : 'exactAcrossProcesses';
}

/** The matrix cell that corresponds to a plan; it determines the expectation of the catalogue. */
function cellOfPlan({ setup, budget }: Plan): Cell {
  const faults = Object.keys(budget) as FaultName[];
  const [about] = faults;
  const promise =
    faults.length === 0 ? undisturbed(setup) : faults.length > 1 ? undefined : PROMISES[about ?? ''];
  return {
    name: 'requested',
    title: 'requested',
    processes: setup.processes,
    ...(setup.carts !== undefined && { carts: setup.carts }),
    budget,
    ...(about !== undefined && { about }),
    ...(promise !== undefined && {
      // slow work of two buyers may not show the violation that two locks of one process show
      promise: { capability: promise, ...(promise === 'survivesSlowWork' && { mayHold: true as const }) },
    }),
  };
}
