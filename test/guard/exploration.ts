import {
  explore,
  EXPLORE_OPTIONS,
  guardContradictions,
  judgeCell,
  workMsFor,
  type Budget,
  type World,
} from '#lab/explore';
import { GUARDS, type Guard } from '#lab/guard';
import { componentsOf, type FaultName } from '#lab/strategy';
import { openWorld } from '../harness/servers';

type Circumstance = FaultName | 'none';

/** The maximal number of schedules in which a declared violation must show. */
const MAX_UNTIL_SHOWN = 1000;
/** The maximal number of schedules of a guard that declares none. */
const MAX_WITHOUT = 60;

/** One statement or command: a process cannot die between two steps. */
const SINGLE_STEP: readonly string[] = [
  'submission/unprotected',
  'submission/unique-key',
  'job/every-replica',
  'coupon/bloom-filter',
];

/** A lease can end and Redis can restart only where the guard keeps something in Redis. */
function canHit({ options, expected, needs = [] }: Guard, fault: Circumstance): boolean {
  if (fault === 'lapse' || fault === 'pause')
    return options.includes('leaseMs') || expected.pause !== undefined;
  const isInRedis = options.includes('leaseMs') && needs.length === 0;
  return fault !== 'flush' || isInRedis || expected.flush !== undefined;
}

/** Tests in the calling spec: each guard is explored with each of these faults, whether or not it declares a violation. */
export function testExplorations(file: string, faults: readonly Circumstance[]): void {
  let world: World;
  beforeAll(async () => {
    world = await openWorld(file, componentsOf(GUARDS));
  });
  afterAll(() => world.close());

  const cases = GUARDS.flatMap((guard) =>
    faults.filter((fault) => canHit(guard, fault)).map((fault) => ({ name: guard.name, fault, guard })),
  );
  test.each(cases)(
    '$name, fault $fault: what its catalogue entry declares, and nothing else',
    async ({ guard, fault }) => {
      const hit: FaultName[] = fault === 'none' ? [] : [fault];
      const budget: Budget = Object.fromEntries(hit.map((one) => [one, 1]));
      const setup = {
        strategy: guard,
        options: { ...EXPLORE_OPTIONS, workMs: workMsFor(budget) },
        stock: 0,
        processes: ['p1', 'p2'],
      };
      const must = guard.expected[fault]?.must ?? [];
      const shown = new AbortController();
      const tally = await explore(
        world,
        { setup, budget, faultPlaces: {}, reduce: true },
        {
          max: must.length > 0 ? MAX_UNTIL_SHOWN : MAX_WITHOUT,
          signal: shown.signal,
          onProgress: ({ kinds, fired }) => {
            const isShown = must.length > 0 && must.every((kind) => kinds.has(kind));
            if (isShown && hit.every((one) => fired.has(one))) shown.abort();
          },
        },
      );
      const { mark, reason } = judgeCell(tally, hit[0]);
      expect(guardContradictions(guard, hit, tally)).toEqual([]);
      expect([...tally.kinds.keys()]).toEqual(expect.arrayContaining([...must]));
      const neverFired = mark === 'unknown' && reason.code === 'fault-never-fired';
      expect(neverFired).toBe(fault === 'kill' && SINGLE_STEP.includes(guard.name));
    },
  );
}
