import { EXPLORE_OPTIONS, explore, type Plan, type Tally, type World } from '#lab/explore';
import { planted, sellUnprotected } from '../harness/planted';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename, []);
});
afterAll(() => world.close());

class Busy extends Error {
  readonly code = 'LOCK.NOT_OBTAINED';
}

/** Lamport's fast mutex without its last check: two holders need two preemptions. */
const twoPreemptions = planted('two-preemptions', async (change, tools) => {
  const { redis } = tools;
  if ((await redis.get('second')) !== null) throw new Busy();
  await redis.set('first', change.request);
  if ((await redis.get('first')) !== change.request) throw new Busy();
  await redis.set('second', change.request);
  const movement = await sellUnprotected(change, tools.balances);
  await redis.del('second');
  return movement;
});

function find(how: Partial<Plan> = {}): Promise<Tally> {
  const setup = { strategy: twoPreemptions, options: EXPLORE_OPTIONS, stock: 1, processes: ['p1', 'p2'] };
  return explore(world, { setup, budget: {}, faultPlaces: {}, reduce: true, ...how });
}

test('a bug that needs two preemptions is found with a bound of two, and not with one', async () => {
  const one = await find({ bound: 1, reduce: false });
  expect([...one.kinds.keys()]).toEqual([]);
  expect(one.partial).toBe(false);
  const two = await find({ bound: 2, reduce: false });
  expect([...two.kinds.keys()]).toContain('oversold');
});

test('the reduction keeps the bug that needs two preemptions', async () => {
  const tally = await find();
  expect([...tally.kinds.keys()]).toContain('oversold');
});
