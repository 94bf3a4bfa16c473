import type { World } from '#lab/explore';
import { openWorld } from '../harness/servers';
import { OTHERS, testNoMissedRelease } from './notify';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

testNoMissedRelease(() => world, OTHERS);
