import {
  explore,
  guardContradictions,
  judgeCell,
  EXPLORE_OPTIONS,
  workMsFor,
  type Budget,
  type World,
} from '#lab/explore';
import { GUARDS, type Guard } from '#lab/guard';
import { componentsOf, type FaultName } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename, componentsOf(GUARDS));
});
afterAll(() => world.close());

/** The faults that break some guard; each guard is explored with all of them, whether or not it declares a violation. */
const FAULTS = ['none', 'kill', 'lapse', 'pause', 'error', 'flush'] as const;
const cases = GUARDS.flatMap((guard) =>
  FAULTS.filter((fault) => canHit(guard, fault)).map((fault) => ({ name: guard.name, fault, guard })),
);

/** A lease can end and Redis can restart only where the guard keeps something in Redis. */
function canHit({ options, expected, needs = [] }: Guard, fault: (typeof FAULTS)[number]): boolean {
  if (fault === 'lapse' || fault === 'pause')
    return options.includes('leaseMs') || expected.pause !== undefined;
  const isInRedis = options.includes('leaseMs') && needs.length === 0;
  return fault !== 'flush' || isInRedis || expected.flush !== undefined;
}

const SCHEDULES = 400;

/** One statement: a process cannot die between two steps. */
const SINGLE_STEP: readonly string[] = [
  'submission/unprotected',
  'submission/unique-key',
  'job/every-replica',
];

test.each(cases)(
  '$name, fault $fault: what its catalogue entry declares, and nothing else',
  async ({ guard, fault }) => {
    const faults: FaultName[] = fault === 'none' ? [] : [fault];
    const budget: Budget = Object.fromEntries(faults.map((one) => [one, 1]));
    const setup = {
      strategy: guard,
      options: { ...EXPLORE_OPTIONS, workMs: workMsFor(budget) },
      stock: 0,
      processes: ['p1', 'p2'],
    };
    const tally = await explore(world, { setup, budget, faultPlaces: {}, reduce: true }, { max: SCHEDULES });
    const { mark, reason } = judgeCell(tally, faults[0]);
    expect(guardContradictions(guard, faults, tally)).toEqual([]);
    const neverFired = mark === 'unknown' && reason.code === 'fault-never-fired';
    expect(neverFired).toBe(fault === 'kill' && SINGLE_STEP.includes(guard.name));
  },
);
