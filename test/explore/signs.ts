import { CELLS, contradictions, existsFor, explore, planOf, type Cell, type World } from '#lab/explore';
import { CATALOGUE, type Strategy } from '#lab/strategy';
import { EXPLORATION_MS } from '../harness/limits';
import { openWorld } from '../harness/servers';
import { tokenOf } from './committed-matrix';

interface Row {
  readonly title: string;
  readonly strategy: Strategy;
  readonly cell: Cell;
  /** Whether `npm test` explores this cell; `npm run test:long` explores the others that are not known to fail. */
  readonly isSampled: boolean;
  /** matrix.spec.ts replays a schedule of this cell that fails. */
  readonly isKnownToFail: boolean;
}

/** Of so many strategies one is sampled per cell, another one for each cell. */
const SAMPLED_ONE_IN = 12;

export const rows: readonly Row[] = CELLS.flatMap((cell, c) => {
  const strategies = CATALOGUE.filter((strategy) => existsFor(strategy, cell));
  const first = c % Math.min(SAMPLED_ONE_IN, strategies.length);
  return strategies.map((strategy, s) => ({
    title: `${strategy.name}, ${cell.name}`,
    strategy,
    cell,
    isSampled: s % SAMPLED_ONE_IN === first,
    isKnownToFail: tokenOf(strategy.name, cell.name) !== undefined,
  }));
});

/**
 * The maximal number of schedules per cell; the matrix runs all of them, and declared-defects.long.spec.ts up to 2000 of each
 * cell that shows a defect. The results must not contradict the catalogue.
 */
const MAX_SCHEDULES = 5;

/** Opens a world for the spec file, and defines a test for each of these cells. */
export function testSigns(file: string, cells: readonly Row[]): () => World {
  jest.setTimeout(EXPLORATION_MS);
  let world: World;
  beforeAll(async () => {
    world = await openWorld(file);
  });
  afterAll(() => world.close());

  test.each(cells)('$title: no result contradicts the catalogue', async ({ strategy, cell }) => {
    const tally = await explore(world, planOf(strategy, cell), { max: MAX_SCHEDULES });
    expect(contradictions(strategy, cell, tally)).toEqual([]);
  });
  return () => world;
}
