import { isGuard, useOf } from '#lab/guard';
import { findStrategy, sellsCarts, type Strategy } from '#lab/strategy';
import { CELLS, existsFor, planOf, type Cell } from './cells';
import {
  type Choice,
  finishAll,
  play,
  scheduleTokenOf,
  EXPLORE_OPTIONS,
  shrink,
  strategyHash,
  writeToken,
} from '../schedule';
import { type Explorer, isDiverged, worstWitness, type Plan, type Limits, type Tally } from '../search';
import { Run } from '../execution';
import { EXPLORED_LIMITERS, isLimiter, isStrategy, type Explored, type Setup, type World } from '../world';
import { judgeCell, type UnknownReason } from './cell-verdict';
import { contradictions } from './expectation';
import { harmOf, mechanismOf, type Harm, type Mark, type ScheduleViolationKind } from '#lab/verdict';

/** The result of one cell for one strategy. */
export interface MatrixCell {
  readonly cell: string;
  readonly mark: Mark;
  /** Why the mark is `unknown`. */
  readonly reason?: UnknownReason;
  readonly schedules: number;
  readonly redundant: number;
  /** All interleavings without reduction: their number, and the kinds that they show. Absent: too many to run. */
  readonly unreduced?: { readonly schedules: number; readonly kinds: readonly ScheduleViolationKind[] };
  /** Not every schedule was run. */
  readonly partial?: boolean;
  /** Schedules by the worst harm that they show. */
  readonly harms: Readonly<Record<Harm, number>>;
  /** Interleavings that the schedules stand for: see `Tally`. Absent with faults. */
  readonly interleavings?: Readonly<Record<'all' | Harm, number>>;
  /** Schedules by kind of violation. */
  readonly kinds: Readonly<Record<string, number>>;
  /** The shortest schedule that shows the worst kind, and its mechanism. */
  readonly token?: string;
  readonly sentence?: string;
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
  /** Maximum number of interleavings to run without reduction; absent: none. */
  readonly unreduced?: number;
  /** Kinds of violation whose shortest schedule is wanted, also when the mark is unknown; absent: that of the worst kind. */
  readonly wanted?: readonly ScheduleViolationKind[];
};

/** Counts the calls of a single order. */
export async function costOf(world: World, strategy: Strategy): Promise<MatrixRow['cost']> {
  const run = await Run.begin(world, { strategy, options: EXPLORE_OPTIONS, stock: 1, processes: ['p1'] });
  const { events } = await finishAll(run);
  const calls = (kind: string): number =>
    events.filter((event) => event.type === 'step' && event.kind === kind).length;
  return { redis: calls('redis'), sql: calls('sql') };
}

/** Explores one cell; a failure has the token of a short schedule. */
export async function exploreCell(
  pool: Explorer,
  strategy: Strategy,
  cell: Cell,
  limits: MatrixLimits = {},
): Promise<MatrixCell> {
  const plan = planOf(strategy, cell);
  const tally = await pool.explore(plan, limits);
  const { mark, reason } = judgeCell(tally, cell.about);
  const unreduced = await withoutReduction(pool, plan, tally, limits);
  return {
    cell: cell.name,
    mark,
    ...(reason !== undefined && { reason }),
    schedules: tally.schedules,
    redundant: tally.redundant,
    ...(unreduced !== undefined && { unreduced }),
    ...(tally.partial && { partial: true }),
    harms: tally.harms,
    ...(tally.interleavings !== undefined && { interleavings: tally.interleavings }),
    kinds: Object.fromEntries(tally.kinds),
    ...((reason === undefined || limits.wanted !== undefined) &&
      tally.violating > 0 &&
      (await shortestWitness(pool.world, strategy, cell, tally, limits))),
    prevented: tally.prevented,
    protections: Object.fromEntries([...tally.protections].sort(([, a], [, b]) => b - a)),
    contradictions: [
      ...contradictions(strategy, cell, tally),
      ...(unreduced?.kinds ?? [])
        .filter((kind) => !tally.kinds.has(kind))
        .map((kind) => `the reduction hides ${kind}`),
    ],
  };
}

/**
 * Assumed minimum ratio of all interleavings to reduced schedules: an unreduced run that would exceed its limit is
 * not attempted.
 */
const MIN_UNREDUCED_RATIO = 10;

/**
 * Runs all interleavings when there are at most `limits.unreduced`: checks that the reduction loses no kind of
 * violation.
 */
async function withoutReduction(
  pool: Explorer,
  plan: Plan,
  reduced: Tally,
  { unreduced: max = 0, signal }: MatrixLimits,
): Promise<MatrixCell['unreduced']> {
  if (reduced.partial || reduced.schedules * MIN_UNREDUCED_RATIO > max) return undefined;
  const tally = await pool.explore(
    { ...plan, reduce: false },
    { max, ...(signal !== undefined && { signal }) },
  );
  return tally.partial ? undefined : { schedules: tally.schedules, kinds: [...tally.kinds.keys()] };
}

async function shortestWitness(
  world: World,
  strategy: Strategy,
  cell: Cell,
  tally: Tally,
  { signal, wanted }: Pick<MatrixLimits, 'signal' | 'wanted'>,
): Promise<Pick<MatrixCell, 'token' | 'sentence' | 'passes'>> {
  const worst = worstWitness(tally, wanted);
  if (worst === undefined) return {};
  const { kind, witness } = worst;
  const { setup } = planOf(strategy, cell);
  const shortest = await shrink(world, setup, witness.choices, kind, signal);
  const sentence = mechanismOf(shortest.history, shortest.verdict.violations) ?? '';
  const passes =
    harmOf(kind) === 'lock-broken' ? undefined : await nextThatPasses(world, setup, shortest.choices);
  return {
    token: writeToken(scheduleTokenOf(setup, shortest)),
    sentence,
    ...(passes !== undefined && { passes: passes.name }),
  };
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
 * they are exact across processes; of a guard or limiter, the later ones of its use without a known violation.
 */
function replacementsOf({ strategy, carts = [] }: Setup): readonly Explored[] {
  const after = <T extends { readonly name: string }>(all: readonly T[]): readonly T[] =>
    all.slice(all.findIndex(({ name }) => name === strategy.name) + 1);
  if (isGuard(strategy))
    return after(useOf(strategy).guards).filter(({ expected }) => expected.none === undefined);
  if (isLimiter(strategy))
    return after(EXPLORED_LIMITERS).filter(({ expected }) => Object.keys(expected).length === 0);
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

/** The result of an earlier run; undefined: none, or the code of the strategy has changed since. */
function knownCell(
  known: readonly MatrixRow[] = [],
  strategy: Strategy,
  { name }: Cell,
): MatrixCell | undefined {
  const row = known.find((one) => one.strategy === strategy.name && one.code === strategyHash(strategy));
  const found = row?.cells.find(({ cell }) => cell === name);
  return found?.partial === true && found.mark === 'unknown' ? undefined : found;
}

/** Explores every strategy in every cell. */
export async function exploreMatrix(
  pool: Explorer,
  strategies: readonly Strategy[],
  limits: MatrixLimits & {
    readonly onCell?: (strategy: Strategy, cell: MatrixCell) => void;
    /** Called with all rows so far, after each cell. */
    readonly onRows?: (rows: readonly MatrixRow[]) => void;
    readonly cells?: readonly Cell[];
    /**
     * Rows of an earlier run. Cells that were searched completely, or that show wrong data, are reused for unchanged
     * code.
     */
    readonly known?: readonly MatrixRow[];
  },
): Promise<MatrixRow[]> {
  const rows: MatrixRow[] = [];
  for (const strategy of strategies) {
    const cells: MatrixCell[] = [];
    rows.push({
      strategy: strategy.name,
      code: strategyHash(strategy),
      cost: await costOf(pool.world, strategy),
      cells,
    });
    for (const cell of (limits.cells ?? CELLS).filter((one) => existsFor(strategy, one))) {
      if (limits.signal?.aborted === true) return rows;
      const explored =
        knownCell(limits.known, strategy, cell) ?? (await exploreWithRetry(pool, strategy, cell, limits));
      cells.push(explored);
      limits.onCell?.(strategy, explored);
      limits.onRows?.(rows);
    }
  }
  return rows;
}
