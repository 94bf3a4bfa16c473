import { EXPLORE_OPTIONS, executions, parseBudget, type World } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import type { ScheduleHistory, ScheduleVerdict } from '#lab/verdict';
import { openWorld } from '../harness/servers';

let world: World;

/** The result of a schedule as far as it is observable afterwards. */
function ending({ events, final }: ScheduleHistory, { violations }: ScheduleVerdict): string {
  const outcomes = events
    .flatMap((event) => (event.type === 'end' ? [`${event.actor} ${event.code}`] : []))
    .sort();
  const sales = final.movements.map(({ request, before, after }) => `${request} ${before}→${after}`).sort();
  const kinds = [...new Set(violations.map(({ kind }) => kind))].sort();
  return JSON.stringify({ amount: final.amount, outcomes, sales, locks: final.locks.length, kinds });
}

/** All results of a strategy with the number of interleavings that lead to each, and the number of schedules run. */
async function endings(
  name: string,
  faults: string,
  reduce: boolean,
): Promise<{ found: Map<string, number>; schedules: number }> {
  const setup = { strategy: findStrategy(name), options: EXPLORE_OPTIONS, stock: 1, processes: ['p1', 'p2'] };
  const plan = { setup, budget: parseBudget(faults), faultPlaces: {}, reduce };
  const found = new Map<string, number>();
  let schedules = 0;
  for await (const { result } of executions(world, plan)) {
    if (result === undefined) continue;
    schedules++;
    const end = ending(result.history, result.verdict);
    found.set(end, (found.get(end) ?? 0) + (result.interleavings ?? NaN));
  }
  return { found, schedules };
}

/** Opens a world for the spec file, and defines a test for each strategy with its faults. */
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
      const reduced = await endings(name, faults, true);
      const full = await endings(name, faults, false);
      expect([...reduced.found.keys()].sort()).toEqual([...full.found.keys()].sort());
      expect(reduced.schedules).toBeLessThanOrEqual(full.schedules);
      // without faults the search counts the interleavings that it skips
      if (faults === '') expect(reduced.found).toEqual(full.found);
    },
  );
}
