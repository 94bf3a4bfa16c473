import type { World } from '#lab/explore';
import { openWorld } from '../harness/servers';
import { kindsOf } from '../harness/kinds';
import { exploreUnder } from './isolation';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

test.each(['for-update-plain-read', 'for-update-late', 'for-update'])(
  '%s under READ COMMITTED: all interleavings show what the reduced schedules show',
  async (name) => {
    const reduced = await exploreUnder(world, name, 'read-committed');
    const all = await exploreUnder(world, name, 'read-committed', { reduce: false });
    expect([all.partial, all.schedules >= reduced.schedules]).toEqual([false, true]);
    expect(kindsOf(reduced)).toEqual(kindsOf(all));
  },
);
