/**
 * Scenario: a popular page expires, and its readers find nothing in the cache.
 *
 * Why it breaks: between the miss of the first reader and its write lies the whole build, and every other reader misses too.
 *
 * Fix: one reader builds under a lock, with a second look; the others wait, or return the old page.
 */
import { Schedule, after, type World } from '#lab/explore';
import { findGuard } from '#lab/guard';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename, []);
});
afterAll(() => world.close());

async function builds(guard: string): Promise<number> {
  const s = await Schedule.begin(world, findGuard(guard), { processes: ['p1', 'p2', 'p3'] });
  await s.A.runUntil(after('GET'));
  await s.B.runUntil(after('GET'));
  await s.C.runUntil(after('GET'));
  const { history } = await s.end();
  return history.final.effects?.length ?? 0;
}

test('three readers miss before the first has built: three builds', async () => {
  expect(await builds('page/unprotected')).toBe(3);
});

test.each(['page/lock', 'page/stale'])('%s: one build', async (guard) => {
  expect(await builds(guard)).toBe(1);
});
