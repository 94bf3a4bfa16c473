import { EXPLORE_OPTIONS, explore, type Tally, type World } from '#lab/explore';
import { CATALOGUE, type Strategy } from '#lab/strategy';
import { EXPLORATION_MS } from '../harness/limits';

/** The lease is longer than any wait: a waiter that misses a release is not rescued by the end of the lease. */
export const options = { ...EXPLORE_OPTIONS, wait: 'notify', leaseMs: 60_000, waitMs: 30_000 } as const;

/** Explores two units and two buyers that wait for a notification. */
export const searchNotified = (
  world: World,
  strategy: Strategy,
  processes: readonly string[],
): Promise<Tally> =>
  explore(world, {
    setup: { strategy, options, stock: 2, processes },
    budget: {},
    faultPlaces: {},
    reduce: true,
  });

export const NOTIFIED = CATALOGUE.filter((strategy) => strategy.options.includes('wait'));

/** Without the strategies that oversell without any fault: they are not the subject here. */
const EXACT = NOTIFIED.filter(
  ({ lacks }) => !lacks.includes('exactAcrossProcesses') && !lacks.includes('exactInOneProcess'),
);

/** `npm test` searches this one, `npm run test:long` the others. */
export const SAMPLED = EXACT.filter(({ name }) => name === 'token-lua');
export const OTHERS = EXACT.filter(({ name }) => name !== 'token-lua');

/** Defines the tests of these strategies: two buyers in two processes, and in one. */
export function testNoMissedRelease(world: () => World, strategies: readonly Strategy[]): void {
  describe.each([
    ['two processes', ['p1', 'p2']],
    ['one process', ['p1', 'p1']],
  ])('%s', (_where, processes) => {
    test.each(strategies)(
      '$name: no waiter misses a release in any interleaving',
      async (strategy) => {
        const tally = await searchNotified(world(), strategy, processes);
        expect([...tally.kinds.keys()]).toEqual([]);
        expect(tally.partial).toBe(false);
        expect(tally.prevented.waits).toBeGreaterThan(0);
      },
      EXPLORATION_MS,
    );
  });
}
