/**
 * Scenario: the release checks the owner token with `GET` and then sends `DEL`; the lease ends between the two
 * commands and another buyer acquires the lock.
 *
 * Why it breaks: `DEL` deletes by name, whatever the value is by then.
 *
 * Fix: compare and delete in one Lua script, which Redis executes atomically.
 */
import { Schedule, after, before, type World } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

test("token-checked: GET returns A's own token, then DEL deletes the lock of B", async () => {
  const s = await Schedule.begin(world, findStrategy('token-checked'));
  await s.A.runUntil(after('GET'));
  await s.lapse();
  await s.B.runUntil(after('SET'));
  await s.A.finish();
  const { verdict } = await s.end();
  expect(verdict.violations.map(({ kind }) => kind)).toEqual(['foreign-release']);
});

test('token-lua: compare and delete in one script leave no gap between them', async () => {
  const s = await Schedule.begin(world, findStrategy('token-lua'));
  await s.A.runUntil(before('release-if-owner'));
  await s.lapse();
  await s.B.runUntil(after('SET'));
  await s.A.finish();
  expect((await s.end()).verdict.violations).toEqual([]);
});
