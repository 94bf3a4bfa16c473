import type { World } from '#lab/explore';
import { checkPrograms } from '#load-tests/selftest';
import { EXPLORATION_MS } from '../harness/limits';
import { openWorld } from '../harness/servers';

jest.setTimeout(EXPLORATION_MS);

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

test('random programs end in the same ways with and without the reduction', async () => {
  const { compared, differences } = await checkPrograms(world, {
    seed: 20261128,
    first: 0,
    count: 30,
    max: 300,
    signal: new AbortController().signal,
    onProgress: () => undefined,
    onDifference: () => undefined,
  });
  expect(differences).toEqual([]);
  expect(compared).toBeGreaterThan(15);
});
