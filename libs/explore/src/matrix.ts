import { CATALOGUE, sellsCarts, type Strategy } from '#lab/strategy';
import { CELLS, existsFor, planOf, type Cell } from './cells';
import type { Crew } from './crew';
import { finishAll } from './ending';
import { isDiverged } from './execution';
import type { Limits } from './explorer';
import { play, recipeOf } from './replay';
import { Run } from './run';
import { EXPLORE_OPTIONS } from './schedule';
import { shrink } from './shrink';
import { expectedSign, isAsExpected, judgeCell, type Sign } from './sign';
import { writeToken } from './token';
import type { Tally } from './tally';
import type { World } from './world';

/** A circumstance of one strategy, explored. */
export interface MatrixCell {
  readonly cell: string;
  readonly sign: Sign;
  readonly because?: string;
  readonly schedules: number;
  readonly redundant: number;
  /** Not every schedule was run. */
  readonly partial?: boolean;
  /** Schedules by kind of violation. */
  readonly kinds: Readonly<Record<string, number>>;
  /** The shortest schedule that shows the first kind, and what it shows. */
  readonly token?: string;
  readonly sentence?: string;
  /** The first strategy further up the ladder that passes the very same schedule. */
  readonly passes?: string;
  readonly prevented: { readonly waits: number; readonly rejects: number; readonly aborts: number };
  readonly asExpected: boolean;
}

export interface MatrixRow {
  readonly strategy: string;
  /** Calls of a lone order that is applied. */
  readonly cost: { readonly redis: number; readonly sql: number };
  readonly cells: readonly MatrixCell[];
}

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
  crew: Crew,
  strategy: Strategy,
  cell: Cell,
  limits: Limits = {},
): Promise<MatrixCell> {
  const plan = planOf(strategy, cell);
  // what is promised is searched to the end, whatever else goes wrong there
  const { enough, ...toTheEnd } = limits;
  const isPromised = expectedSign(strategy, cell) === 'safe';
  const tally = await crew.explore(
    plan,
    isPromised || enough === undefined ? toTheEnd : { ...toTheEnd, enough },
  );
  const isThere = cell.about === undefined || (tally.fired.get(cell.about) ?? 0) > 0;
  // what goes wrong without the fault belongs into the columns without one
  const { sign, because } = judgeCell(isThere ? tally : { ...tally, violating: 0 }, cell.about);
  return {
    cell: cell.name,
    sign,
    ...(because !== undefined && { because }),
    schedules: tally.schedules,
    redundant: tally.redundant,
    ...(tally.partial && { partial: true }),
    kinds: Object.fromEntries(tally.kinds),
    ...(sign === 'violated' && (await proof(crew.world, strategy, cell, tally))),
    prevented: tally.prevented,
    asExpected: isAsExpected(strategy, cell, tally),
  };
}

async function proof(
  world: World,
  strategy: Strategy,
  cell: Cell,
  tally: Tally,
): Promise<Pick<MatrixCell, 'token' | 'sentence' | 'passes'>> {
  const kinds = [...tally.witnesses.keys()];
  const kind = cell.promise?.kinds.find((wanted) => kinds.includes(wanted)) ?? kinds[0];
  const witness = kind === undefined ? undefined : tally.witnesses.get(kind);
  if (kind === undefined || witness === undefined) return {};
  const { setup } = planOf(strategy, cell);
  const shortest = await shrink(world, setup, witness.choices, kind);
  const sentence = shortest.verdict.violations.find((violation) => violation.kind === kind)?.sentence ?? '';
  const later = CATALOGUE.slice(CATALOGUE.findIndex(({ name }) => name === strategy.name) + 1).filter(
    ({ needs = [] }) => needs.every((component) => strategy.needs?.includes(component)),
  );
  for (const rung of setup.carts === undefined ? later : later.filter(sellsCarts)) {
    const { verdict } = await play(world, { ...setup, strategy: rung }, shortest.choices, { strict: false });
    if (verdict.violations.length === 0)
      return { token: writeToken(recipeOf(setup, shortest)), sentence, passes: rung.name };
  }
  return { token: writeToken(recipeOf(setup, shortest)), sentence };
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
      sign: 'unknown',
      because: `the servers did something else than the last time, twice: ${error.message.split('\n')[0] ?? ''}`,
      schedules: 0,
      redundant: 0,
      partial: true,
      kinds: {},
      prevented: { waits: 0, rejects: 0, aborts: 0 },
      asExpected: false,
    };
  }
}

/** Every strategy in every circumstance. */
export async function exploreMatrix(
  crew: Crew,
  strategies: readonly Strategy[],
  limits: Limits & {
    readonly onCell?: (strategy: Strategy, cell: MatrixCell) => void;
    /** What there is until now, after each cell. */
    readonly onRows?: (rows: readonly MatrixRow[]) => void;
    readonly cells?: readonly Cell[];
  },
): Promise<MatrixRow[]> {
  const rows: MatrixRow[] = [];
  for (const strategy of strategies) {
    const cells: MatrixCell[] = [];
    rows.push({ strategy: strategy.name, cost: await costOf(crew.world, strategy), cells });
    for (const cell of (limits.cells ?? CELLS).filter((one) => existsFor(strategy, one))) {
      if (limits.signal?.aborted === true) return rows;
      const explored = await exploreTwice(crew, strategy, cell, limits);
      cells.push(explored);
      limits.onCell?.(strategy, explored);
      limits.onRows?.(rows);
    }
  }
  return rows;
}
