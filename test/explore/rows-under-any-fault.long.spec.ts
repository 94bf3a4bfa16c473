import { EXPLORE_OPTIONS, explore, parseBudget, type World } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename, []);
});
afterAll(() => world.close());

test.each(['for-update', 'conditional-update'])('%s has no violation under any fault', async (name) => {
  for (const faults of ['kill:1', 'pause:1', 'in-flight:1', 'lose-reply:1', 'error:1', 'kill:1,error:1']) {
    const setup = {
      strategy: findStrategy(name),
      options: EXPLORE_OPTIONS,
      stock: 1,
      processes: ['p1', 'p2'],
    };
    const plan = { setup, budget: parseBudget(faults), faultPlaces: {}, reduce: true };
    const tally = await explore(world, plan);
    expect([faults, tally.violating, tally.partial]).toEqual([faults, 0, false]);
  }
});
