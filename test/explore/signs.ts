import {
  CELLS,
  existsFor,
  explore,
  judgeCell,
  planOf,
  playRandom,
  undeclared,
  type Cell,
  type World,
} from '#lab/explore';
import { seeded } from '#lab/random';
import { CATALOGUE, type Strategy } from '#lab/strategy';
import type { ScheduleHistory } from '#lab/verdict';
import { createHash } from 'node:crypto';
import { EXPLORATION_MS } from '../harness/limits';
import { openWorld } from '../harness/servers';
import { neverFires } from './committed-matrix';

interface Row {
  readonly title: string;
  readonly strategy: Strategy;
  readonly cell: Cell;
  /** Whether `npm test` explores this cell; `npm run test:long` explores the others. */
  readonly isSampled: boolean;
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
  }));
});

/** Random schedules of a cell at most; the first one in which its fault occurs is the last. The matrix runs all schedules. */
const MAX_SCHEDULES = 20;

/** The fault of the cell has occurred, or it has none. */
const isFaultIn = ({ events }: ScheduleHistory, { about }: Cell): boolean =>
  about === undefined || events.some((event) => 'fault' in event && event.fault === about);

/** Opens a world for the spec file, and defines a test for each of these cells. */
export function testSigns(file: string, cells: readonly Row[]): () => World {
  jest.setTimeout(EXPLORATION_MS);
  let world: World;
  beforeAll(async () => {
    world = await openWorld(file);
  });
  afterAll(() => world.close());

  const isReached = ({ strategy, cell }: Row): boolean => !neverFires(strategy.name, cell.name);

  test.each(cells.filter((row) => !isReached(row)))(
    '$title: in no schedule does the fault occur, and none contradicts the catalogue',
    async ({ strategy, cell }) => {
      const tally = await explore(world, planOf(strategy, cell));
      expect(tally.partial).toBe(false);
      expect(judgeCell(tally, cell.about)).toEqual({
        mark: 'unknown',
        reason: { code: 'fault-never-fired', fault: cell.about },
      });
      expect(undeclared(strategy, cell, [...tally.kinds.keys()])).toEqual([]);
    },
  );

  test.each(cells.filter(isReached))(
    '$title: the fault occurs in a random schedule, and none contradicts the catalogue',
    async ({ title, strategy, cell }) => {
      const random = seeded(createHash('sha1').update(title).digest().readUInt32BE());
      const plan = planOf(strategy, cell);
      let hasFired = false as boolean;
      for (let n = 0; n < MAX_SCHEDULES && !hasFired; n++) {
        const { history, verdict } = await playRandom(world, plan, random);
        const kinds = verdict.violations.map(({ kind }) => kind);
        expect(undeclared(strategy, cell, kinds)).toEqual([]);
        hasFired ||= isFaultIn(history, cell);
      }
      expect(hasFired).toBe(true);
    },
  );
  return () => world;
}
