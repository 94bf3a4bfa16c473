import {
  cellOf,
  execute,
  Frontier,
  parseBudget,
  planOf,
  rootOf,
  scheduleText,
  type Plan,
  type World,
} from '#lab/explore';
import { planOfTwo } from '#load-tests/selftest';
import { findStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

/** Searches a plan, runs what the search skips as well, and returns how much it skips, and what of it is not redundant. */
async function runSkipped(plan: Plan, isGroupwise: boolean): Promise<{ skipped: number; wrong: string[] }> {
  const frontier = new Frontier(plan, rootOf(isGroupwise));
  const wrong: string[] = [];
  let skipped = 0;
  while (frontier.size > 0)
    for (const { subtree, isRedundant } of frontier.take(1)) {
      const execution = await execute(world, plan, subtree);
      if (!isRedundant) frontier.add(execution);
      else if (execution.result !== undefined || execution.nodes.length > 0)
        wrong.push(scheduleText(subtree.prefix));
      skipped += isRedundant ? 1 : 0;
    }
  return { skipped, wrong };
}

test.each([
  ['token-lua', 'lapse:1'],
  ['segmented-redis', 'kill:1'],
  ['watchdog', 'pause:1'],
  ['fenced', 'lapse:1'],
  ['single-writer', 'kill:1'],
  ['redlock', 'kill:1'],
  ['redis-decr', 'flush:1'],
])('%s, faults "%s": every schedule that a search skips is redundant', async (name, faults) => {
  const plan = planOfTwo(findStrategy(name), parseBudget(faults), true);
  const { skipped, wrong } = await runSkipped(plan, false);
  expect(wrong).toEqual([]);
  expect(skipped).toBeGreaterThan(0);
});

test('watchdog, two products: every schedule that a search skips is redundant', async () => {
  const plan = planOf(findStrategy('watchdog'), cellOf('two products'));
  const { skipped, wrong } = await runSkipped(plan, true);
  expect(wrong).toEqual([]);
  expect(skipped).toBeGreaterThan(0);
});
