import { execute, Frontier, parseBudget, rootOf, scheduleText, type Plan, type World } from '#lab/explore';
import { planOfTwo } from '#load-tests/selftest';
import { findStrategy } from '#lab/strategy';
import { EXPLORATION_MS } from '../harness/limits';
import { openWorld } from '../harness/servers';

/** Searches a plan, runs what the search skips as well, and returns how much it skips, and what of it is not redundant. */
async function runSkipped(
  world: World,
  plan: Plan,
  isGroupwise: boolean,
  readsClock = false,
): Promise<{ skipped: number; wrong: string[] }> {
  const frontier = new Frontier(plan, rootOf(isGroupwise, readsClock));
  const wrong: string[] = [];
  let skipped = 0;
  while (frontier.size > 0)
    for (const taken of frontier.take(1)) {
      const execution = await execute(world, plan, taken.subtree);
      if (execution.showsReadClock) return runSkipped(world, plan, isGroupwise, true);
      if (!taken.isRedundant) frontier.add(taken, execution);
      else if (execution.result !== undefined || execution.nodes.length > 0)
        wrong.push(scheduleText(taken.subtree.prefix));
      skipped += taken.isRedundant ? 1 : 0;
    }
  return { skipped, wrong };
}

/** For each strategy and its faults: every schedule that a search skips is redundant. Returns the world. */
export function testRedundancy(
  file: string,
  cases: readonly (readonly [strategy: string, faults: string])[],
): () => World {
  let world: World;
  beforeAll(async () => {
    world = await openWorld(file);
  });
  afterAll(() => world.close());

  test.each(cases)(
    '%s, faults "%s": every schedule that a search skips is redundant',
    async (name, faults) => {
      const plan = planOfTwo(findStrategy(name), parseBudget(faults), true);
      await expectRedundant(world, plan, false);
    },
    EXPLORATION_MS,
  );
  return () => world;
}

export async function expectRedundant(world: World, plan: Plan, isGroupwise: boolean): Promise<void> {
  const { skipped, wrong } = await runSkipped(world, plan, isGroupwise);
  expect(wrong).toEqual([]);
  expect(skipped).toBeGreaterThan(0);
}
