import {
  addOrders,
  cellOf,
  countAllOrders,
  explore,
  exploreMatrix,
  isUncounted,
  NO_ORDERS,
  planOf,
  shareText,
  WorkerPool,
  type MatrixRow,
  type OrderCounts,
  type Plan,
  type World,
} from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename, []);
});
afterAll(() => world.close());

const planFor = (strategy: string, cell: string): Plan => planOf(findStrategy(strategy), cellOf(cell));

/** Counts the orders of a plan, and the schedules that this takes. */
async function countOrders(plan: Plan, max?: number): Promise<{ orders?: OrderCounts; schedules: number }> {
  let schedules = 0;
  const orders = await countAllOrders(WorkerPool.on(world), plan, {
    ...(max !== undefined && { max }),
    onProgress: (n) => {
      schedules = n;
    },
  });
  return { ...(orders && { orders }), schedules };
}

/** The orders that a search without the reduction has run. */
async function runOrders(plan: Plan): Promise<OrderCounts> {
  const { interleavings, partial } = await explore(world, { ...plan, reduce: false });
  if (interleavings === undefined || partial) throw new Error('not every order was run');
  const { all, unavailable, 'data-wrong': wrong } = interleavings;
  return { all, unavailable, 'data-wrong': wrong };
}

test.each([
  ['none', 'two processes'],
  ['setnx', 'kill'],
  ['setnx', 'lose-reply'],
  ['unlock-before-commit', 'two processes'],
])('countAllOrders counts the orders of %s, %s, that a search of all orders runs', async (strategy, cell) => {
  const plan = planFor(strategy, cell);
  const run = await runOrders(plan);
  const { orders, schedules } = await countOrders(plan);
  expect(orders).toEqual(run);
  expect(run['data-wrong'] + run.unavailable).toBeGreaterThan(0);
  expect(schedules).toBeLessThanOrEqual(run.all);
});

test('what a reply says beyond the beginning that a history shows belongs to the state: single-writer reads a long queue', async () => {
  const plan = planFor('single-writer', 'two processes');
  const { orders, schedules } = await countOrders(plan);
  expect(orders).toEqual(await runOrders(plan));
  expect(schedules).toBeLessThan(orders?.all ?? 0);
});

test('countAllOrders runs a small part of many orders, and counts nothing when that part exceeds its limit', async () => {
  const plan = planFor('expiring', 'slow work');
  const { orders, schedules } = await countOrders(plan);
  // `lab explore expiring --faults slow:1 --no-reduction` runs as many
  expect(orders).toEqual({ all: 13_330, 'data-wrong': 12_996, unavailable: 0 });
  expect(schedules).toBeLessThan(500);
  expect(await countOrders(plan, schedules - 1)).toEqual({ schedules: schedules - 1 });
});

test('a search without the reduction counts every order, and one with faults and the reduction counts none', async () => {
  const plan = planFor('setnx', 'kill');
  const all = await explore(world, { ...plan, reduce: false });
  expect(all.interleavings?.all).toBe(all.schedules);
  expect(isUncounted(all)).toBe(false);
  expect(isUncounted(await explore(world, plan))).toBe(true);
});

test('exploreMatrix with countsOrders counts the orders of a cell with a fault, also of one that an earlier run explored', async () => {
  const pools = [WorkerPool.on(world)];
  const cells = [cellOf('kill')];
  const strategies = [findStrategy('setnx')];
  const ordersIn = (rows: readonly MatrixRow[]): unknown => rows[0]?.cells[0]?.interleavings;
  const known = await exploreMatrix(pools, strategies, { cells, onlyMarks: true });
  expect(ordersIn(known)).toBeUndefined();
  const counted = await exploreMatrix(pools, strategies, { cells, known, countsOrders: true });
  expect(ordersIn(counted)).toEqual({ all: 162, 'data-wrong': 0, unavailable: 82 });
  expect(
    ordersIn(await exploreMatrix(pools, strategies, { cells, onlyMarks: true, countsOrders: true })),
  ).toEqual(ordersIn(counted));
});

test.each([
  [90, 92, '90 of 92 (98 %)'],
  [1676, 1680, '1,676 of 1,680 (99 %)'],
  [1680, 1680, '1,680 of 1,680 (100 %)'],
  [1, 10_988, '1 of 10,988 (< 1 %)'],
])('shareText of %d and %d is %s', (n, all, text) => {
  expect(shareText(n, all)).toBe(text);
});

test('addOrders adds each count', () => {
  const one = { all: 3, 'data-wrong': 2, unavailable: 1 };
  expect(addOrders(addOrders(NO_ORDERS, one), one)).toEqual({ all: 6, 'data-wrong': 4, unavailable: 2 });
});
