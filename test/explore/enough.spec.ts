import { cellOf, explore, exploreMatrix, planOf, WorkerPool, type World } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

test('a search that has found enough goes on until its fault has occurred', async () => {
  const plan = planOf(findStrategy('none'), cellOf('kill'));
  const early = await explore(world, plan, { enough: 1, mustFire: 'kill' });
  expect([early.harms['data-wrong'] > 0, early.fired.has('kill'), early.partial]).toEqual([true, true, true]);
  const never = await explore(world, plan, { enough: 1, mustFire: 'pause' }); // it is not in the plan
  expect(never.partial).toBe(false);
});

test('a matrix of marks only has the marks of the whole one, with fewer schedules and without shortest schedules', async () => {
  const pools = [WorkerPool.on(world)];
  const strategies = ['none', 'setnx', 'expiring'].map(findStrategy);
  const cells = ['two processes', 'kill', 'pause', 'flush'].map(cellOf);
  const all = await exploreMatrix(pools, strategies, { cells });
  const marks = await exploreMatrix(pools, strategies, { cells, enough: 1, onlyMarks: true });
  const marksIn = (rows: typeof all): readonly string[] =>
    rows.flatMap((row) => row.cells.map(({ cell, mark }) => `${row.strategy} ${cell} ${mark}`));
  const schedulesIn = (rows: typeof all): number =>
    rows.flatMap((row) => row.cells).reduce((sum, { schedules }) => sum + schedules, 0);
  expect(marksIn(marks)).toEqual(marksIn(all));
  expect(schedulesIn(marks)).toBeLessThan(schedulesIn(all));
  expect(marks.flatMap((row) => row.cells).filter(({ token }) => token !== undefined)).toEqual([]);
});
