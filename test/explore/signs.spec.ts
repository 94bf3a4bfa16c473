import {
  CELLS,
  cellOf,
  contradictions,
  existsFor,
  explore,
  judgeCell,
  planOf,
  type World,
} from '#lab/explore';
import { CATALOGUE, findStrategy } from '#lab/strategy';
import { EXPLORATION_MS } from '../harness/limits';
import { openWorld } from '../harness/servers';

jest.setTimeout(EXPLORATION_MS);

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

/**
 * The maximal number of schedules per cell; the matrix runs all of them. The results must not contradict the
 * catalogue.
 */
const MAX_SCHEDULES = 8;

const cells = CATALOGUE.flatMap((strategy) =>
  CELLS.filter((cell) => existsFor(strategy, cell)).map((cell) => ({
    title: `${strategy.name}, ${cell.name}`,
    strategy,
    cell,
  })),
);

test.each(cells)('$title: no result contradicts the catalogue', async ({ strategy, cell }) => {
  const tally = await explore(world, planOf(strategy, cell), { max: MAX_SCHEDULES });
  expect(contradictions(strategy, cell, tally)).toEqual([]);
});

test('a pause longer than the lease defeats the watchdog; slow work does not', async () => {
  const watchdog = findStrategy('watchdog');
  const paused = await explore(world, planOf(watchdog, cellOf('pause')), { max: 150 });
  expect(paused.kinds.get('oversold')).toBeGreaterThan(0);
  for (const name of ['slow work', 'lapse']) {
    const tally = await explore(world, planOf(watchdog, cellOf(name)));
    expect([name, tally.violating, tally.partial]).toEqual([name, 0, false]);
    expect(judgeCell(tally, cellOf(name).about).mark).toBe('safe');
  }
});

test('a fault that never fires proves nothing', async () => {
  const tally = await explore(world, planOf(findStrategy('for-update'), cellOf('lapse')));
  expect(judgeCell(tally, 'lapse')).toEqual({
    mark: 'unknown',
    reason: { code: 'fault-never-fired', fault: 'lapse' },
  });
});

test('a partial exploration proves nothing', async () => {
  const tally = await explore(world, planOf(findStrategy('for-update'), cellOf('two processes')), { max: 2 });
  expect(judgeCell(tally, undefined)).toMatchObject({ mark: 'unknown', reason: { code: 'incomplete' } });
});
