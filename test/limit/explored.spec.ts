import {
  explore,
  EXPLORED_LIMITERS,
  EXPLORE_OPTIONS,
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

const FAULTS = ['none', 'kill', 'error', 'lose-reply'] as const;
/** In a process alone there is no command that a fault could hit. */
const cases = EXPLORED_LIMITERS.flatMap((strategy) =>
  FAULTS.filter((fault) => fault === 'none' || strategy.name !== 'limit/in-process').map((fault) => ({
    name: strategy.name,
    fault,
    strategy,
  })),
);

test.each(cases)(
  '$name, fault $fault: every schedule of two requests shows what is declared, and nothing else',
  async ({ strategy, fault }) => {
    const faults: FaultName[] = fault === 'none' ? [] : [fault];
    const budget: Budget = Object.fromEntries(faults.map((one) => [one, 1]));
    const setup = { strategy, options: EXPLORE_OPTIONS, stock: 0, processes: ['p1', 'p2'] };
    const tally = await explore(world, { setup, budget, faultPlaces: {}, reduce: true });
    expect(guardContradictions(strategy, faults, tally)).toEqual([]);
    const { mark, reason } = judgeCell(tally, faults[0]);
    // a limiter with one command has no place between two commands where its process could die
    const isTried = mark !== 'unknown' || (fault === 'kill' && reason.code === 'fault-never-fired');
    expect({ mark, reason, isTried }).toMatchObject({ isTried: true });
  },
);
