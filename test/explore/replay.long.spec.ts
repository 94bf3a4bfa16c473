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

// "npx lab selftest determinism" replays 1000, on an idle machine, on a busy one, and while processes are stopped
test('300 random schedules replay identically from their tokens', () =>
  expectIdenticalReplays(world, 300, 20261122));
