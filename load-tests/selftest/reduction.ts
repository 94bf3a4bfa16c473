import {
  CELLS,
  countAllOrders,
  NO_ORDERS,
  EXPLORE_OPTIONS,
  executions,
  existsFor,
  isStrategy,
  planOf,
  oneOrder,
  strategyHash,
  subjectOf,
  addOrders,
  workMsFor,
  type Budget,
  type Catalogued,
  type OrderCounts,
  type Plan,
  WorkerPool,
  type World,
} from '#lab/explore';
import { FAULTS, type FaultName } from '#lab/strategy';
import {
  harmOf,
  worstHarm,
  type ScheduleHistory,
  type ScheduleVerdict,
  type ScheduleViolationKind,
} from '#lab/verdict';
import { isDeepStrictEqual } from 'node:util';

/**
 * The endings of a plan with the number of interleavings that lead to each (NaN with faults and the reduction), and the schedules
 * that were run.
 */
export interface Endings {
  readonly found: ReadonlyMap<string, number>;
  readonly schedules: number;
  /** Of the schedules. */
  readonly orders: OrderCounts;
}

/** A circumstance of something that can be explored. */
export interface Compared {
  readonly strategy: string;
  /** Hash of its code. */
  readonly code: string;
  readonly cell: string;
}

/** A circumstance that was run with and without the reduction. */
export interface ReductionResult extends Compared, Comparison {}

/** A circumstance that has more schedules without the reduction than the limit. */
export interface LeftOut extends Compared {
  readonly moreThan: number;
}

/** What a check has found. Plain data, so that a later check can go on. */
export interface ReductionFindings {
  readonly results: readonly ReductionResult[];
  readonly leftOut: readonly LeftOut[];
}

/** A plan that was run with and without the reduction. */
export interface Comparison {
  /** Schedules with the reduction, and without it. */
  readonly reduced: number;
  readonly all: number;
  /** The schedules without it, by harm. */
  readonly orders: OrderCounts;
  /** All orders, as `countAllOrders` counts them. Undefined: not every order was run, or it was interrupted. */
  readonly counted: OrderCounts | undefined;
  /** Endings: the outcomes, the sales, the locks that are left, and the kinds of violation. */
  readonly endings: number;
  /** Endings that only one of both runs shows. */
  readonly missing: readonly string[];
  readonly additional: readonly string[];
  /**
   * Endings with an overlap that the reduced run shows without it, and an overlap in other endings; or without one that it shows with it:
   * whether holders overlap depends on the order of steps, also where nothing else does.
   */
  readonly combinations: readonly string[];
}

/** Only one of both runs shows an ending, or the orders were counted wrongly. */
export const isDifferent = (result: Comparison): boolean =>
  result.missing.length + result.additional.length > 0 || isMiscounted(result);

/** `countAllOrders` has found other numbers than the run of all orders. */
export const isMiscounted = ({ orders, counted }: Comparison): boolean =>
  counted !== undefined && !isDeepStrictEqual(counted, orders);

export interface ReductionOptions {
  readonly strategies: readonly Catalogued[];
  /** Largest number of schedules without the reduction; circumstances with more are left out. */
  readonly max: number;
  /** Runs what follows a state once, also without the reduction. */
  readonly joinsStates: boolean;
  /** Of an earlier check: a circumstance of unchanged code that it compared, or found too large, is not run again. */
  readonly known: ReductionFindings;
  readonly signal: AbortSignal;
  readonly onProgress: (text: string) => void;
  readonly onResult: (result: ReductionResult) => void;
  readonly onLeftOut: (circumstance: LeftOut) => void;
}

/**
 * Runs every circumstance of the strategies with and without the reduction, and compares how its schedules end. What is known is
 * reported first, so that an interrupted check has it as well.
 */
export async function checkReduction(world: World, options: ReductionOptions): Promise<void> {
  const { strategies, known, max, signal, onResult, onLeftOut } = options;
  const open: (Compared & { readonly plan: Plan })[] = [];
  for (const strategy of strategies)
    for (const { name: cell, plan } of circumstancesOf(strategy)) {
      const compared: Compared = { strategy: strategy.name, code: strategyHash(strategy), cell };
      const isThis = (one: Compared): boolean =>
        one.strategy === compared.strategy && one.code === compared.code && one.cell === cell;
      const result = known.results.find(isThis);
      const tooLarge = known.leftOut.find((one) => isThis(one) && one.moreThan >= max);
      if (result !== undefined) onResult(result);
      else if (tooLarge !== undefined) onLeftOut(tooLarge);
      else open.push({ ...compared, plan });
    }
  for (const { plan, ...compared } of open) {
    const result = await compare(world, compared, plan, options);
    if (signal.aborted) return;
    if (result === undefined) onLeftOut({ ...compared, moreThan: max });
    else onResult(result);
  }
}

interface Circumstance {
  readonly name: string;
  readonly plan: Plan;
}

/** The cells of the matrix. Of a guard or limiter, which has none: each fault once, and none. */
const circumstancesOf = (explored: Catalogued): readonly Circumstance[] =>
  isStrategy(explored)
    ? CELLS.filter((cell) => existsFor(explored, cell)).map((cell) => ({
        name: cell.name,
        plan: planOf(explored, cell),
      }))
    : ['none', ...Object.keys(FAULTS)].map((name) => ({
        name,
        plan: planOfTwo(explored, name === 'none' ? {} : { [name as FaultName]: 1 }, true),
      }));

/** Assumed minimum ratio of all schedules to reduced ones: a circumstance that would exceed the limit is not tried. */
const LEAST_RATIO = 4;

/** After every so many schedules the number of all schedules is estimated. */
const SAMPLE = 300;
/** The first estimate may be too high by this factor. The margin shrinks as the root of the number of schedules. */
const FIRST_MARGIN = 5;

/** The estimate, from the share of the tree that was searched, exceeds the limit by more than its margin. */
function isTooLarge(schedules: number, searched: number, max: number): boolean {
  const margin = 1 + (FIRST_MARGIN - 1) * Math.sqrt(SAMPLE / schedules);
  return schedules % SAMPLE === 0 && schedules / searched > margin * max;
}

async function compare(
  world: World,
  compared: Compared,
  ofCell: Plan,
  { max, joinsStates, signal, onProgress }: ReductionOptions,
): Promise<ReductionResult | undefined> {
  const plan: Plan = { ...ofCell, ...(joinsStates && { joinsStates }) };
  const comparison = await comparePlan(world, plan, max, (n, how) => {
    onProgress(`${compared.strategy}, ${compared.cell}: ${n} schedules ${how}`);
    return !signal.aborted;
  });
  return comparison && { ...compared, ...comparison };
}

/** Called after every schedule, with what is run at present. False: end. */
export type GoOn = (
  schedules: number,
  how: 'with the reduction' | 'without the reduction' | 'to count all orders',
) => boolean;

/**
 * Runs a plan with and without the reduction, and counts its orders. With `joinsStates`, endings have no kinds of violation that only
 * the past shows (a broken lock with correct data), and no orders are counted: only one past of each state is run. Undefined: it
 * has more than `max` schedules, or `goOn` has returned false.
 */
export async function comparePlan(
  world: World,
  plan: Plan,
  max: number,
  goOn: GoOn,
): Promise<Comparison | undefined> {
  const limited = (reduce: boolean, limit: number): Promise<Endings | undefined> =>
    endingsOf(world, { ...plan, reduce }, limit, (n) =>
      goOn(n, reduce ? 'with the reduction' : 'without the reduction'),
    );
  const reduced = await limited(true, max / LEAST_RATIO);
  const all = reduced === undefined ? undefined : await limited(false, max);
  if (reduced === undefined || all === undefined) return undefined;
  const shown = [...reduced.found.keys()];
  const notShown = [...all.found.keys()].filter((ending) => !reduced.found.has(ending));
  const combinations = notShown.filter((ending) => isShownInParts(ending, shown));
  return {
    reduced: reduced.schedules,
    all: all.schedules,
    orders: all.orders,
    counted: plan.joinsStates === true ? undefined : await ordersOf(world, plan, goOn),
    endings: all.found.size,
    missing: notShown.filter((ending) => !combinations.includes(ending)),
    additional: shown.filter((ending) => !all.found.has(ending)),
    combinations,
  };
}

/** All orders, without running all of them. */
function ordersOf(world: World, plan: Plan, goOn: GoOn): Promise<OrderCounts | undefined> {
  const ended = new AbortController();
  return countAllOrders(WorkerPool.on(world), plan, {
    max: Infinity,
    signal: ended.signal,
    onProgress: (n) => {
      if (!goOn(n, 'to count all orders')) ended.abort();
    },
  });
}

/** How a schedule ends: its result, and what is wrong with it. */
interface Ending {
  readonly result: unknown;
  readonly kinds: readonly string[];
}

/** One of the endings shown differs in an overlap only, and one of them has an overlap. */
function isShownInParts(ending: string, shown: readonly string[]): boolean {
  const withoutOverlap = (text: string): string => {
    const { result, kinds } = JSON.parse(text) as Ending;
    return JSON.stringify({ result, kinds: kinds.filter((kind) => kind !== 'overlap') });
  };
  const hasOverlap = (text: string): boolean => (JSON.parse(text) as Ending).kinds.includes('overlap');
  return (
    shown.some((one) => withoutOverlap(one) === withoutOverlap(ending)) &&
    shown.some((one) => hasOverlap(one))
  );
}

/**
 * Every ending of a plan. Actors that are alike exchange their names in it, so that two endings that differ only in this are one.
 * Undefined: there are more than `max` schedules, by an estimate or by their number, or `goOn` has returned false.
 */
export async function endingsOf(
  world: World,
  plan: Plan,
  max = Infinity,
  goOn: (schedules: number) => boolean = () => true,
): Promise<Endings | undefined> {
  const { areAlike } = subjectOf(plan.setup, world);
  const isPair = plan.setup.processes.length === 2 && areAlike?.(0, 1) === true;
  const shows = (kind: ScheduleViolationKind): boolean =>
    plan.joinsStates !== true || harmOf(kind) !== 'lock-broken';
  const found = new Map<string, number>();
  let schedules = 0;
  let orders = NO_ORDERS;
  let searched = 0; // the share of the tree
  const restart = (): void => {
    found.clear();
    schedules = 0;
    orders = NO_ORDERS;
    searched = 0;
  };
  for await (const { result, share } of executions(world, plan, restart)) {
    searched += share;
    if (result === undefined) continue;
    if (++schedules > max || !goOn(schedules)) return undefined;
    if (isTooLarge(schedules, searched, max)) return undefined;
    orders = addOrders(orders, oneOrder(worstHarm(result.verdict.violations.map(({ kind }) => kind))));
    const names = isPair ? [{}, { A: 'B', B: 'A' }] : [{}];
    const [ending = ''] = names.map((to) => endingOf(result.history, result.verdict, shows, to)).sort();
    found.set(ending, (found.get(ending) ?? 0) + (result.interleavings ?? NaN));
  }
  return { found, schedules, orders };
}

/** The result of a schedule as far as it is observable afterwards, with actors renamed. */
function endingOf(
  { events, final }: ScheduleHistory,
  { violations }: ScheduleVerdict,
  shows: (kind: ScheduleViolationKind) => boolean,
  renamed: Readonly<Record<string, string>>,
): string {
  const name = (actor: string): string => renamed[actor] ?? actor;
  const { broken, effects, endlessKeys } = final;
  const isOwn = broken !== undefined; // of a user's subject: what its actors returned is part of the result
  const outcomes = events
    .flatMap((event) =>
      event.type === 'end' ? [`${name(event.actor)} ${isOwn ? event.text : event.code}`] : [],
    )
    .sort();
  const sales = final.movements
    .map(({ request, before, after }) => `${name(request)} ${before}→${after}`)
    .sort();
  const epochs = (effects ?? []).map(({ epoch = 0 }) => epoch).sort((a, b) => a - b); // a server counts them for all its clients
  const done = effects?.map(({ key, request, epoch = 0 }) => [key, name(request), epochs.indexOf(epoch)]);
  // what a guard leaves ends by itself, before or after the last step, where no search looks
  const locks = final.locks.filter(
    ({ expiresAt }) => effects === undefined || expiresAt === undefined,
  ).length;
  const kinds = [...new Set(violations.map(({ kind }) => kind))].filter(shows).sort();
  const result = {
    amount: final.amount,
    outcomes,
    sales,
    locks,
    broken,
    done,
    endlessKeys,
  };
  return JSON.stringify({ result, kinds } satisfies Ending);
}

/** The plan of two buyers of the last unit, or two requests of one action, in a process each. */
export const planOfTwo = (strategy: Catalogued, budget: Budget, reduce: boolean): Plan => ({
  setup: {
    strategy,
    options: { ...EXPLORE_OPTIONS, workMs: workMsFor(budget) },
    stock: 1,
    processes: ['p1', 'p2'],
  },
  budget,
  faultPlaces: {},
  reduce,
});
