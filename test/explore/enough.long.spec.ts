import { cellOf, explore, exploreMatrix, planOf, WorkerPool, type World } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

test('the explorer does not stop at wrong data before the fault of mustFire has occurred in a schedule', async () => {
  const plan = planOf(findStrategy('none'), cellOf('kill'));
  const early = await explore(world, plan, { enough: 1, mustFire: 'kill' });
  expect([early.harms['data-wrong'] > 0, early.fired.has('kill'), early.partial]).toEqual([true, true, true]);
  const never = await explore(world, plan, { enough: 1, mustFire: 'pause' }); // it is not in the plan
  expect(never.partial).toBe(false);
});

test('exploreMatrix with onlyMarks and enough finds the same marks, runs fewer schedules, and searches no shortest ones', async () => {
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
