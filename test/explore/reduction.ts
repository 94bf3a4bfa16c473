import { findExplored, parseBudget, type World } from '#lab/explore';
import { endingsOf, planOfTwo } from '#load-tests/selftest';
import { openWorld } from '../harness/servers';

let world: World;

/** Opens a world for the spec file, and defines a test for each strategy, guard or limiter with its faults. */
export function testReduction(
  file: string,
  rows: readonly (readonly [name: string, faults: string])[],
): void {
  beforeAll(async () => {
    world = await openWorld(file);
  });
  afterAll(() => world.close());

  test.each(rows)(
    '%s (%s): the same results are found with and without the reduction',
    async (name, faults) => {
      const [reduced, full] = [
        await endingsOf(world, planOfTwo(findExplored(name), parseBudget(faults), true)),
        await endingsOf(world, planOfTwo(findExplored(name), parseBudget(faults), false)),
      ];
      if (reduced === undefined || full === undefined) throw new Error('the search was not complete');
      expect([...reduced.found.keys()].sort()).toEqual([...full.found.keys()].sort());
      expect(reduced.schedules).toBeLessThanOrEqual(full.schedules);
      // without faults the search counts the interleavings that it skips
      if (faults === '') expect(reduced.found).toEqual(full.found);
    },
  );
}
