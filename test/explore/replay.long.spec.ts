import type { World } from '#lab/explore';
import { EXPLORATION_MS } from '../harness/limits';
import { openWorld } from '../harness/servers';
import { expectIdenticalReplays } from './random-replays';

jest.setTimeout(EXPLORATION_MS);

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

test('1000 random schedules replay identically from their tokens', () =>
  expectIdenticalReplays(world, 1000, 20261122));
