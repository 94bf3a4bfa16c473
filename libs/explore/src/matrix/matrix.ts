import { isGuard, useOf } from '#lab/guard';
import { findStrategy, sellsCarts, type Strategy } from '#lab/strategy';
import { CELLS, existsFor, planOf, type Cell } from './cells';
import {
  type Choice,
  type Played,
  finishAll,
  play,
  scheduleTokenOf,
  EXPLORE_OPTIONS,
  shrink,
  strategyHash,
  writeToken,
} from '../schedule';
import {
  countAllOrders,
  emptyTally,
  type Explorer,
  type GoOn,
  isDiverged,
  isUncounted,
  type OrderCounts,
  worstWitness,
  type Plan,
  type Limits,
  type Tally,
} from '../search';
import { Run } from '../execution';
import { EXPLORED_LIMITERS, isLimiter, isStrategy, type Explored, type Setup, type World } from '../world';
import { judgeCell, type UnknownReason } from './cell-verdict';
import { contradictions } from './expectation';
import { harmOf, mechanismOf, type Harm, type Mark, type ScheduleViolationKind } from '#lab/verdict';

/** The shortest schedule that shows a violation, and its mechanism. */
export interface CellWitness {
  readonly token: string;
  readonly sentence: string;
}

/** The result of one cell for one strategy. */
export interface MatrixCell {
  readonly cell: string;
  readonly mark: Mark;
  /** Why the mark is `unknown`. */
  readonly reason?: UnknownReason;
  readonly schedules: number;
  readonly redundant: number;
  /** Not every schedule was run. */
  readonly partial?: boolean;
  /** Schedules by the worst harm that they show. */
  readonly harms: Readonly<Record<Harm, number>>;
  /**
   * Interleavings that the schedules stand for: see `Tally`. With faults, those of `countAllOrders`; absent where they were not
   * counted.
   */
  readonly interleavings?: OrderCounts & Partial<Readonly<Record<Harm, number>>>;
  /** Schedules by kind of violation. */
  readonly kinds: Readonly<Record<string, number>>;
  /** Schedules in which no request was applied although no fault was injected; absent: there are none. */
  readonly unsold?: number;
  /** The shortest schedule that shows the worst kind, and its mechanism. */
  readonly token?: string;
  readonly sentence?: string;
  /** The shortest schedules of the kinds that were wanted. */
  readonly witnesses?: Readonly<Partial<Record<ScheduleViolationKind, CellWitness>>>;
  /** The first stronger strategy that passes the same schedule. */
  readonly passes?: string;
  readonly prevented: { readonly waits: number; readonly rejects: number; readonly aborts: number };
  /** Schedules by the statement that made an actor wait or refused it, most frequent first. */
  readonly protections: Readonly<Record<string, number>>;
  /** Contradictions to the catalogue; empty: as documented. */
  readonly contradictions: readonly string[];
}

export interface MatrixRow {
  readonly strategy: string;
  /** Hash of the strategy's code at the time of the run. */
  readonly code: string;
  /** Calls of a single order. */
  readonly cost: { readonly redis: number; readonly sql: number };
  readonly cells: readonly MatrixCell[];
}

/** The matrix as `lab matrix --docs` saves it. */
export interface SavedMatrix {
  readonly conditions: Readonly<Record<string, unknown>>;
  readonly rows: readonly MatrixRow[];
}

export type MatrixLimits = Limits & {
  /**
   * Tell groups of kinds of violation, for example those that break a promise: of each group, the shortest schedule of its worst
   * kind is wanted, also when the mark is unknown.
   */
  readonly wanted?: readonly ((kind: ScheduleViolationKind) => boolean)[];
  /** No shortest schedules: they take as long as many others. */
  readonly onlyMarks?: boolean;
  /** Counts all orders of cells with faults, too. */
  readonly countsOrders?: boolean;
};

/** Counts the calls of a single order. */
export async function costOf(world: World, strategy: Strategy): Promise<MatrixRow['cost']> {
  const run = await Run.begin(world, { strategy, options: EXPLORE_OPTIONS, stock: 1, processes: ['p1'] });
  const { events } = await finishAll(run);
  const calls = (kind: string): number =>
    events.filter((event) => event.type === 'step' && event.kind === kind).length;
  return { redis: calls('redis'), sql: calls('sql') };
}

/** The search of the schedules of one cell, which can pause. */
export class CellSearch {
  private readonly plan: Plan;
  private readonly goOn: GoOn;
  /** That of all schedules so far. */
  private tally: Tally = { ...emptyTally(), partial: true };

  constructor(
    private readonly pool: Explorer,
    private readonly strategy: Strategy,
    readonly cell: Cell,
  ) {
    this.plan = planOf(strategy, cell);
    this.goOn = pool.begin(this.plan);
  }

  /** Begins, or goes on after a pause, within these limits. Returns the tally of all schedules so far. */
  async run(limits: Limits): Promise<Tally> {
    const { about } = this.cell;
    this.tally = await this.goOn({ ...limits, ...(about !== undefined && { mustFire: about }) });
    return this.tally;
  }

  /** Kinds of violation, and schedules in which no request was applied although no fault was injected. */
  get found(): Pick<MatrixCell, 'kinds' | 'unsold'> {
    const { kinds, schedules, applied } = this.tally;
    const unsold = this.cell.about === undefined ? schedules - applied : 0;
    return { kinds: Object.fromEntries(kinds), ...(unsold > 0 && { unsold }) };
  }

  /** What the schedules so far have shown; a failure has the token of a short schedule. */
  async result(limits: Omit<MatrixLimits, keyof Limits> & Pick<Limits, 'signal'>): Promise<MatrixCell> {
    const { pool, plan, strategy, cell, tally } = this;
    const { mark, reason } = judgeCell(tally, cell.about);
    const shorten = shortener(pool.world, plan, limits.signal);
    return {
      cell: cell.name,
      mark,
      ...(reason !== undefined && { reason }),
      schedules: tally.schedules,
      redundant: tally.redundant,
      ...(tally.partial && { partial: true }),
      harms: tally.harms,
      ...(await ordersIn(pool, plan, tally, limits)),
      ...this.found,
      ...(reason === undefined &&
        limits.onlyMarks !== true &&
        (await shortestWitness(pool.world, plan.setup, tally, shorten))),
      ...(limits.wanted !== undefined && { witnesses: await wantedWitnesses(tally, limits.wanted, shorten) }),
      prevented: tally.prevented,
      protections: Object.fromEntries([...tally.protections].sort(([, a], [, b]) => b - a)),
      contradictions: contradictions(strategy, cell, tally),
    };
  }
}

/** Explores one cell; a failure has the token of a short schedule. */
export async function exploreCell(
  pool: Explorer,
  strategy: Strategy,
  cell: Cell,
  limits: MatrixLimits = {},
): Promise<MatrixCell> {
  const search = new CellSearch(pool, strategy, cell);
  await search.run(limits);
  return search.result(limits);
}

/** All orders of a cell, as far as they are known, or are to be counted. */
async function ordersIn(
  pool: Explorer,
  plan: Plan,
  found: Parameters<typeof isUncounted>[0],
  { countsOrders, signal }: Pick<MatrixLimits, 'countsOrders' | 'signal'>,
): Promise<Pick<MatrixCell, 'interleavings'>> {
  const interleavings =
    countsOrders === true && isUncounted(found)
      ? await countAllOrders(pool, plan, { signal })
      : found.interleavings;
  return interleavings === undefined ? {} : { interleavings };
}

type WorstWitness = NonNullable<ReturnType<typeof worstWitness>>;
type Shorten = (worst: WorstWitness) => Promise<CellWitness & { readonly shortest: Played }>;

/** Shortens the schedule of a kind of violation, each once, and describes what is left. */
function shortener(world: World, plan: Plan, signal: AbortSignal | undefined): Shorten {
  const done = new Map<ScheduleViolationKind, ReturnType<Shorten>>();
  const shorten: Shorten = async ({ kind, witness }) => {
    const shortest = await shrink(world, plan, witness.choices, kind, signal);
    const token = writeToken(scheduleTokenOf(plan.setup, shortest));
    return { shortest, token, sentence: sentenceOf(kind, shortest) };
  };
  return (worst) => {
    const shortened = done.get(worst.kind) ?? shorten(worst);
    done.set(worst.kind, shortened);
    return shortened;
  };
}

async function shortestWitness(
  world: World,
  setup: Setup,
  tally: Tally,
  shorten: Shorten,
): Promise<Pick<MatrixCell, 'token' | 'sentence' | 'passes'>> {
  const worst = worstWitness(tally);
  if (worst === undefined) return {};
  const { shortest, token, sentence } = await shorten(worst);
  const passes =
    harmOf(worst.kind) === 'lock-broken' ? undefined : await nextThatPasses(world, setup, shortest.choices);
  return { token, sentence, ...(passes !== undefined && { passes: passes.name }) };
}

async function wantedWitnesses(
  tally: Tally,
  wanted: NonNullable<MatrixLimits['wanted']>,
  shorten: Shorten,
): Promise<NonNullable<MatrixCell['witnesses']>> {
  const found: Partial<Record<ScheduleViolationKind, CellWitness>> = {};
  for (const isWanted of wanted) {
    const worst = worstWitness(tally, [...tally.witnesses.keys()].filter(isWanted));
    if (worst === undefined) continue;
    const { token, sentence } = await shorten(worst);
    found[worst.kind] = { token, sentence };
  }
  return found;
}

/** How the data became wrong; of another kind of violation, its own sentence. */
function sentenceOf(kind: ScheduleViolationKind, { history, verdict: { violations } }: Played): string {
  const own = violations.find((violation) => violation.kind === kind)?.sentence ?? '';
  return harmOf(kind) === 'data-wrong' ? (mechanismOf(history, violations) ?? own) : own;
}

/**
 * The first replacement whose data stays correct, and whose lock is not stuck, in the same schedule. Never one that
 * oversells without a fault.
 */
export async function nextThatPasses(
  world: World,
  setup: Setup,
  choices: readonly Choice[],
): Promise<Explored | undefined> {
  const { strategy } = setup;
  for (const rung of replacementsOf(setup)) {
    if (rung.needs?.every((component) => strategy.needs?.includes(component)) === false) continue;
    const { verdict } = await play(world, { ...setup, strategy: rung }, choices, { strict: false });
    if (verdict.violations.every(({ kind }) => harmOf(kind) === 'lock-broken')) return rung;
  }
  return undefined;
}

/**
 * What replaces this strategy, in the order of recommendation: the `next` of the catalogue, its `next`, and so on, as far as
 * they are exact across processes; of a guard or limiter, the later ones of its use without a known violation, other than
 * what a limiter in Redis forgets with it.
 */
function replacementsOf({ strategy, carts = [] }: Setup): readonly Explored[] {
  const after = <T extends { readonly name: string }>(all: readonly T[]): readonly T[] =>
    all.slice(all.findIndex(({ name }) => name === strategy.name) + 1);
  if (isGuard(strategy))
    return after(useOf(strategy).guards).filter(({ expected }) => expected.none === undefined);
  if (isLimiter(strategy))
    return after(EXPLORED_LIMITERS).filter(({ expected }) =>
      Object.keys(expected).every((fault) => fault === 'flush'),
    );
  if (!isStrategy(strategy)) return [];
  const isCart = carts.some((cart) => cart.length > 1);
  return nextOnes(strategy).filter(
    (next) => !next.lacks.includes('exactAcrossProcesses') && (!isCart || sellsCarts(next)),
  );
}

/** The `next` strategy, the next of that one, and so on, each once. */
function nextOnes({ name, next }: Strategy): Strategy[] {
  const found: Strategy[] = [];
  let following = next.strategy;
  while (following !== undefined && following !== name && found.every((one) => one.name !== following)) {
    const strategy = findStrategy(following);
    found.push(strategy);
    following = strategy.next.strategy;
  }
  return found;
}

/** Explores a cell, and once more when a schedule diverged. A cell that diverges twice proves nothing. */
async function exploreWithRetry(...cell: Parameters<typeof exploreCell>): Promise<MatrixCell> {
  try {
    return await exploreCell(...cell).catch((error: unknown) => {
      if (isDiverged(error)) return exploreCell(...cell);
      throw error;
    });
  } catch (error) {
    if (!isDiverged(error)) throw error;
    return {
      cell: cell[2].name,
      mark: 'unknown',
      reason: { code: 'diverged', message: error.message.split('\n')[0] ?? '' },
      schedules: 0,
      redundant: 0,
      partial: true,
      harms: { 'data-wrong': 0, unavailable: 0, 'lock-broken': 0 },
      kinds: {},
      prevented: { waits: 0, rejects: 0, aborts: 0 },
      protections: {},
      contradictions: [],
    };
  }
}

/**
 * The result of an earlier run. Undefined: there is none, the code of the strategy has changed since, or the cell is undecided
 * after fewer schedules than `max`.
 */
function knownCell(
  { known = [], max = Infinity }: Pick<MatrixLimits, 'max'> & { readonly known?: readonly MatrixRow[] },
  strategy: Strategy,
  { name }: Cell,
): MatrixCell | undefined {
  const row = known.find((one) => one.strategy === strategy.name && one.code === strategyHash(strategy));
  const found = row?.cells.find(({ cell }) => cell === name);
  const isUndecided = found?.partial === true && found.mark === 'unknown';
  return isUndecided && found.schedules < max ? undefined : found;
}

/** A cell of a strategy that is explored next. */
interface OpenCell {
  readonly strategy: Strategy;
  readonly cell: Cell;
  /** Receives the result. */
  readonly done: (explored: MatrixCell) => void;
}

/**
 * Explores every strategy in every cell. Each pool takes the next cell when it is free: a cell is often too small for two workers,
 * and its shortest schedule is found by one.
 */
export async function exploreMatrix(
  pools: readonly Explorer[],
  strategies: readonly Strategy[],
  limits: MatrixLimits & {
    /** `isKnown`: the cell was explored by an earlier run. */
    readonly onCell?: (strategy: Strategy, cell: MatrixCell, isKnown: boolean) => void;
    /** Called with all rows so far, after each cell. */
    readonly onRows?: (rows: readonly MatrixRow[]) => void;
    readonly cells?: readonly Cell[];
    /**
     * Rows of an earlier run. For unchanged code, cells that were searched completely, that show wrong data, or that ran
     * `max` schedules are reused.
     */
    readonly known?: readonly MatrixRow[];
  },
): Promise<MatrixRow[]> {
  const [first] = pools;
  if (first === undefined) throw new RangeError('a matrix needs a pool');
  const open: OpenCell[] = [];
  const rows: (Omit<MatrixRow, 'cells'> & { readonly cells: (MatrixCell | undefined)[] })[] = [];
  for (const strategy of strategies) {
    const cells = (limits.cells ?? CELLS).filter((one) => existsFor(strategy, one));
    const explored = cells.map((): MatrixCell | undefined => undefined);
    rows.push({
      strategy: strategy.name,
      code: strategyHash(strategy),
      cost: await costOf(first.world, strategy),
      cells: explored,
    });
    open.push(
      ...cells.map((cell, i) => ({ strategy, cell, done: (one: MatrixCell) => (explored[i] = one) })),
    );
  }
  const explored = (): MatrixRow[] =>
    rows
      .map(({ cells, ...row }) => ({ ...row, cells: cells.filter((cell) => cell !== undefined) }))
      .filter(({ cells }) => cells.length > 0);
  /** Every second pool takes cells from the end of the list: otherwise one pool runs a large last cell while the others are idle. */
  const takeCells = async (pool: Explorer, i: number): Promise<void> => {
    const take = (): OpenCell | undefined => (i % 2 === 0 ? open.shift() : open.pop());
    for (let next = take(); next !== undefined; next = take()) {
      if (limits.signal?.aborted === true) return;
      const { strategy, cell, done } = next;
      const known = knownCell(limits, strategy, cell);
      const result =
        known === undefined
          ? await exploreWithRetry(pool, strategy, cell, limits)
          : { ...known, ...(await ordersIn(pool, planOf(strategy, cell), known, limits)) };
      done(result);
      limits.onCell?.(strategy, result, known !== undefined);
      limits.onRows?.(explored());
    }
  };
  await Promise.all(pools.map(takeCells));
  return explored();
}
