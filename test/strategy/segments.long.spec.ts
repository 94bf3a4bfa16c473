import { cellOf, explore, planOf, type World } from '#lab/explore';
import { findStrategy, type Strategy } from '#lab/strategy';
import { EXPLORATION_MS } from '../harness/limits';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename, []);
});
afterAll(() => world.close());

const [naive, segmented, inRedis] = ['segmented-naive', 'segmented', 'segmented-redis'].map(findStrategy) as [
  Strategy,
  Strategy,
  Strategy,
];

describe('all interleavings of two buyers', () => {
  test.each([segmented, inRedis])(
    '$name: with two units no buyer is refused',
    async (strategy) => {
      const tally = await explore(world, planOf(strategy, { ...cellOf('two processes'), stock: 2 }));
      expect([tally.partial, tally.violating]).toEqual([false, 0]);
      expect(tally.contended).toBeGreaterThan(0);
    },
    EXPLORATION_MS,
  );

  test(
    'segmented: with two units and one crashed buyer the other one is not answered sold out',
    async () => {
      const tally = await explore(world, planOf(segmented, { ...cellOf('kill'), stock: 2 }));
      expect([tally.partial, tally.violating]).toEqual([false, 0]);
    },
    EXPLORATION_MS,
  );

  test(
    'segmented-naive: with three units a buyer that picks the segment of the other one is refused',
    async () => {
      const tally = await explore(world, planOf(naive, { ...cellOf('two processes'), stock: 3 }));
      expect([...tally.kinds.keys()]).toEqual(['undersold']);
    },
    EXPLORATION_MS,
  );

  test(
    'segmented: two buyers split an unsplit stock at the same time',
    async () => {
      const { prepare, ...unprepared } = segmented;
      expect(prepare).toBeDefined();
      const tally = await explore(world, planOf(unprepared, cellOf('two processes')));
      expect([tally.partial, tally.violating]).toEqual([false, 0]);
      expect(tally.contended).toBeGreaterThan(0);
    },
    EXPLORATION_MS,
  );
});
