import {
  execute,
  KnownStates,
  parseBudget,
  ROOT,
  scheduleText,
  type Subtree,
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

test.each([
  ['token-lua', 'lapse:1'],
  ['segmented-redis', 'kill:1'],
  ['watchdog', 'pause:1'],
  ['fenced', 'lapse:1'],
  ['single-writer', 'kill:1'],
])('%s, faults "%s": every branch that a search skips is redundant', async (name, faults) => {
  const plan = planOfTwo(findStrategy(name), parseBudget(faults), true);
  const known = new KnownStates(plan);
  const stack: Subtree[] = [ROOT];
  const wrong: string[] = [];
  let skipped = 0;
  for (let subtree = stack.pop(); subtree !== undefined; subtree = stack.pop()) {
    const execution = await execute(world, plan, subtree);
    stack.push(...known.open(execution).subtrees);
    if (!subtree.isRedundant) continue;
    skipped++;
    if (execution.result !== undefined || execution.nodes.length > 0)
      wrong.push(scheduleText(subtree.prefix));
  }
  expect(wrong).toEqual([]);
  expect(skipped).toBeGreaterThan(0);
});
