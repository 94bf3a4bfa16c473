import { CATALOGUE, sellsCarts, type Strategy } from '#lab/strategy';
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
import { type WorkerPool, isDiverged, type Plan, type Limits, type Tally } from '../search';
import { Run } from '../execution';
import type { Setup, World } from '../world';
import { judgeCell } from './cell-verdict';
import { contradictions } from './expectation';
import {
  harmOf,
  mechanismOf,
  worstFirst,
  type Harm,
  type Mark,
  type ScheduleViolationKind,
} from '#lab/verdict';

/** A circumstance of one strategy, explored. */
export interface MatrixCell {
  readonly cell: string;
  readonly mark: Mark;
  readonly because?: string;
  readonly schedules: number;
  readonly redundant: number;
  /** Every interleaving, without reduction: how many, and the kinds that they show. Absent: too many to run. */
  readonly unreduced?: { readonly schedules: number; readonly kinds: readonly ScheduleViolationKind[] };
  /** Not every schedule was run. */
  readonly partial?: boolean;
  /** Schedules by the worst harm that they show. */
  readonly harms: Readonly<Record<Harm, number>>;
  /** Schedules by kind of violation. */
  readonly kinds: Readonly<Record<string, number>>;
  /** The shortest schedule that shows the worst kind, and how it comes to that. */
  readonly token?: string;
  readonly sentence?: string;
  /** The first strategy further up the ladder that passes the very same schedule. */
  readonly passes?: string;
  readonly prevented: { readonly waits: number; readonly rejects: number; readonly aborts: number };
  /** Schedules by the statement that made an actor wait or refused it, the most frequent first. */
  readonly protections: Readonly<Record<string, number>>;
  /** What contradicts the catalogue; none: as documented. */
  readonly contradictions: readonly string[];
}

export interface MatrixRow {
  readonly strategy: string;
  /** Hash of the strategy's code when the row was made. */
  readonly code: string;
  /** Calls of a lone order that is applied. */
  readonly cost: { readonly redis: number; readonly sql: number };
  readonly cells: readonly MatrixCell[];
}

/** `unreduced`: so many interleavings are run without reduction at most; absent: none. */
export type MatrixLimits = Limits & { readonly unreduced?: number };

/** Calls of a lone order. */
export async function costOf(world: World, strategy: Strategy): Promise<MatrixRow['cost']> {
  const run = await Run.begin(world, { strategy, options: EXPLORE_OPTIONS, stock: 1, processes: ['p1'] });
  const { events } = await finishAll(run);
  const calls = (kind: string): number =>
    events.filter((event) => event.type === 'step' && event.kind === kind).length;
  return { redis: calls('redis'), sql: calls('sql') };
}

/** Explores one cell; behind every failure there is the token of a short schedule. */
export async function exploreCell(
  pool: WorkerPool,
  strategy: Strategy,
  cell: Cell,
  limits: MatrixLimits = {},
): Promise<MatrixCell> {
  const plan = planOf(strategy, cell);
  const tally = await pool.explore(plan, limits);
  const { mark, because } = judgeCell(tally, cell.about);
  const unreduced = await withoutReduction(pool, plan, tally, limits);
  return {
    cell: cell.name,
    mark,
    ...(because !== undefined && { because }),
    schedules: tally.schedules,
    redundant: tally.redundant,
    ...(unreduced !== undefined && { unreduced }),
    ...(tally.partial && { partial: true }),
    harms: tally.harms,
    kinds: Object.fromEntries(tally.kinds),
    ...(because === undefined && tally.violating > 0 && (await proof(pool.world, strategy, cell, tally))),
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

/** How many times more interleavings than reduced schedules are worth a try to run them all. */
const WORTH_A_TRY = 10;

/** Every interleaving, where they are at most `limits.unreduced`: the check that the reduction loses no kind of violation. */
async function withoutReduction(
  pool: WorkerPool,
  plan: Plan,
  reduced: Tally,
  { unreduced: max = 0, signal }: MatrixLimits,
): Promise<MatrixCell['unreduced']> {
  if (reduced.partial || reduced.schedules * WORTH_A_TRY > max) return undefined;
  const tally = await pool.explore(
    { ...plan, reduce: false },
    { max, ...(signal !== undefined && { signal }) },
  );
  return tally.partial ? undefined : { schedules: tally.schedules, kinds: [...tally.kinds.keys()] };
}

async function proof(
  world: World,
  strategy: Strategy,
  cell: Cell,
  tally: Tally,
): Promise<Pick<MatrixCell, 'token' | 'sentence' | 'passes'>> {
  const [kind] = worstFirst(tally.witnesses.keys());
  const witness = kind === undefined ? undefined : tally.witnesses.get(kind);
  if (kind === undefined || witness === undefined) return {};
  const { setup } = planOf(strategy, cell);
  const shortest = await shrink(world, setup, witness.choices, kind);
  const sentence = mechanismOf(shortest.history, shortest.verdict.violations) ?? '';
  const passes = await nextThatPasses(world, setup, shortest.choices);
  return {
    token: writeToken(scheduleTokenOf(setup, shortest)),
    sentence,
    ...(passes !== undefined && { passes: passes.name }),
  };
}

/** The first strategy further up the ladder whose data stays right, and whose lock does not stay, in the very same schedule. */
export async function nextThatPasses(
  world: World,
  setup: Setup,
  choices: readonly Choice[],
): Promise<Strategy | undefined> {
  const { strategy, carts = [] } = setup;
  const isCart = carts.some((cart) => cart.length > 1);
  const later = CATALOGUE.slice(CATALOGUE.findIndex(({ name }) => name === strategy.name) + 1).filter(
    (rung) =>
      (rung.needs ?? []).every((component) => strategy.needs?.includes(component)) &&
      (!isCart || sellsCarts(rung)),
  );
  for (const rung of later) {
    const { verdict } = await play(world, { ...setup, strategy: rung }, choices, { strict: false });
    if (verdict.violations.every(({ kind }) => harmOf(kind) === 'lock-broken')) return rung;
  }
  return undefined;
}

/** Once more when the servers did something else than the last time; a cell in which they do so again proves nothing. */
async function exploreTwice(...cell: Parameters<typeof exploreCell>): Promise<MatrixCell> {
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
      because: `the servers did something else than the last time, twice: ${error.message.split('\n')[0] ?? ''}`,
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

/** What an earlier run has decided; undefined: nothing, or the code of the strategy has changed since. */
function knownCell(
  known: readonly MatrixRow[] = [],
  strategy: Strategy,
  { name }: Cell,
): MatrixCell | undefined {
  const row = known.find((one) => one.strategy === strategy.name && one.code === strategyHash(strategy));
  const found = row?.cells.find(({ cell }) => cell === name);
  return found?.partial === true && found.mark === 'unknown' ? undefined : found;
}

/** Every strategy in every circumstance. */
export async function exploreMatrix(
  pool: WorkerPool,
  strategies: readonly Strategy[],
  limits: MatrixLimits & {
    readonly onCell?: (strategy: Strategy, cell: MatrixCell) => void;
    /** What there is until now, after each cell. */
    readonly onRows?: (rows: readonly MatrixRow[]) => void;
    readonly cells?: readonly Cell[];
    /** Rows of an earlier run: cells that were searched to their end, or show wrong data, are taken over for unchanged code. */
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
        knownCell(limits.known, strategy, cell) ?? (await exploreTwice(pool, strategy, cell, limits));
      cells.push(explored);
      limits.onCell?.(strategy, explored);
      limits.onRows?.(rows);
    }
  }
  return rows;
}
