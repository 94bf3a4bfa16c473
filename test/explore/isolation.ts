import { EXPLORE_OPTIONS, explore, type Tally, type World } from '#lab/explore';
import { findStrategy, type Options } from '#lab/strategy';

/** Enough to run every schedule without a fault. */
const MAX = 3000;

/** Explores two buyers of the last unit under an isolation level, without a fault. */
export const exploreUnder = (
  world: World,
  name: string,
  isolation: Options['isolation'],
  { reduce = true } = {},
): Promise<Tally> =>
  explore(
    world,
    {
      setup: {
        strategy: findStrategy(name),
        options: { ...EXPLORE_OPTIONS, isolation },
        stock: 1,
        processes: ['p1', 'p2'],
      },
      budget: {},
      faultPlaces: {},
      reduce,
    },
    { max: MAX },
  );
