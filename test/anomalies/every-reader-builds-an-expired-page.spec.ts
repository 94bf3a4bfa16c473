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

/** The builds of three readers, all of whom have read the cache, with this command, before one of them builds. */
async function builds(guard: string, read: string): Promise<number> {
  const s = await Schedule.begin(world, findGuard(guard), { processes: ['p1', 'p2', 'p3'] });
  await s.A.runUntil(after(read));
  await s.B.runUntil(after(read));
  await s.C.runUntil(after(read));
  const { history } = await s.end();
  return history.final.effects?.length ?? 0;
}

test('three readers miss before the first has built: three builds', async () => {
  expect(await builds('page/unprotected', 'GET')).toBe(3);
});

test.each([
  ['page/lock', 'GET'],
  ['page/stale', 'read-page'],
])('%s: one build', async (guard, read) => {
  expect(await builds(guard, read)).toBe(1);
});
