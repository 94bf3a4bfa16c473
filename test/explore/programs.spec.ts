import type { World } from '#lab/explore';
import { compareProgram, type Program } from '#load-tests/selftest';
import { EXPLORATION_MS } from '../harness/limits';
import { openWorld } from '../harness/servers';

jest.setTimeout(EXPLORATION_MS);

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

const program = (budget: Program['budget'], ...actors: Program['actors']): Program => ({
  actors,
  processes: [1, 2],
  endsAtError: false,
  isolation: 'REPEATABLE READ',
  budget,
});

/** Found by random programs and by `lab selftest reduction`: a search left out an ending of each, or orders were counted wrongly. */
test.each([
  {
    title: 'a fault while the other request has one step left, which is not sent',
    found: program({ flush: 1, cut: 1 }, ['SCARD set'], ['SET lock me GET']),
  },
  {
    title: 'a process that is cut off dies with its statement in flight',
    found: program({ 'in-flight': 1, cut: 1 }, [], ['GET count', 'SET lock me GET']),
  },
  {
    title: 'two replies of a list have the same beginning, and not the same length',
    found: program(
      { kill: 1 },
      ['RPUSH list me', 'LRANGE list', 'INCR count'],
      ['RPUSH list me', 'INCR count'],
    ),
  },
  {
    title: 'a process is killed while its request waits, and the other one has a step',
    found: program({ kill: 1, cut: 1 }, ['MGET lock count'], ['SET lock me NX', 'wait 100 ms']),
  },
])('$title', async ({ found }) => {
  const comparison = await compareProgram(world, found);
  expect(comparison).toMatchObject({ missing: [], additional: [] });
  expect(comparison?.endings).toBeGreaterThan(1);
  expect(comparison?.counted).toEqual(comparison?.orders);
});

test('code of a killed process keeps its connection: the next schedules have another one', async () => {
  const waits = program({ kill: 1 }, ['BEGIN', 'SELECT both', 'COMMIT', 'wait 100 ms'], ['BEGIN', 'COMMIT']);
  const comparison = await compareProgram(world, waits);
  expect(comparison).toMatchObject({ missing: [], additional: [] });
});
