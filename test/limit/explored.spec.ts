import {
  explore,
  EXPLORED_LIMITERS,
  EXPLORE_OPTIONS,
  findExploredLimiter,
  guardContradictions,
  judgeCell,
  type Budget,
  type World,
} from '#lab/explore';
import type { FaultName } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename, []);
});
afterAll(() => world.close());

const FAULTS = ['none', 'kill', 'error', 'lose-reply', 'lapse', 'flush'] as const;
/** The faults that mean something else when requests were admitted before. */
const FAULTS_AT_EDGE: readonly string[] = ['lapse', 'flush'];
/** What two timers need: each of them is due once. */
const TICKS = { tick: 2 };
const isAtEdge = ({ name }: { name: string }): boolean => name.endsWith('-at-edge');

/** The budget of a fault; in a process alone there is no command that a fault could hit. */
const budgetsOf = (strategy: (typeof EXPLORED_LIMITERS)[number]): Budget[] =>
  strategy.name === 'limit/in-process'
    ? [{}]
    : strategy.name === 'limit/token-list'
      ? [{}, TICKS, { flush: 1 }]
      : FAULTS.filter(
          (fault) => fault === 'none' || !isAtEdge(strategy) || FAULTS_AT_EDGE.includes(fault),
        ).map((fault) => (fault === 'none' ? {} : { [fault]: 1 }));

const cases = EXPLORED_LIMITERS.flatMap((strategy) =>
  budgetsOf(strategy).map((budget) => ({ name: strategy.name, budget, strategy })),
);

test.each(cases)(
  '$name, faults $budget: every schedule of two requests shows what is declared, and nothing else',
  async ({ strategy, budget }) => {
    const faults = Object.keys(budget) as FaultName[];
    const setup = { strategy, options: EXPLORE_OPTIONS, stock: 0, processes: ['p1', 'p2'] };
    const tally = await explore(world, { setup, budget, faultPlaces: {}, reduce: true });
    expect(guardContradictions(strategy, faults, tally)).toEqual([]);
    const { mark, reason } = judgeCell(tally, faults[0]);
    // a limiter with one command has no place between two commands where its process could die
    const isTried = mark !== 'unknown' || (faults[0] === 'kill' && reason.code === 'fault-never-fired');
    expect({ mark, reason, isTried }).toMatchObject({ isTried: true });
  },
);

test('a bucket that Redis forgets twice admits three requests in a window, and promises two', async () => {
  const strategy = findExploredLimiter('limit/token-bucket');
  const setup = { strategy, options: EXPLORE_OPTIONS, stock: 0, processes: ['p1', 'p2', 'p3'] };
  const tally = await explore(world, { setup, budget: { flush: 2 }, faultPlaces: {}, reduce: true });
  expect([...tally.kinds.keys()]).toEqual(['over-limit']);
  expect(guardContradictions(strategy, ['flush'], tally)).toEqual([]);
});
