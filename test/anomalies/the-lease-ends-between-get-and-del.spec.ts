import { Schedule, after, before, type World } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

test("the check says that the lock is ours, and DEL removes somebody else's", async () => {
  const s = await Schedule.begin(world, findStrategy('token-checked'));
  await s.A.runUntil(after('GET'));
  await s.lapse();
  await s.B.runUntil(after('SET'));
  await s.A.finish();
  const { verdict } = await s.end();
  expect(verdict.violations.map(({ kind }) => kind)).toEqual(['foreign-release']);
});

test('comparing and deleting in one script leaves no room for it', async () => {
  const s = await Schedule.begin(world, findStrategy('token-lua'));
  await s.A.runUntil(before('release-if-owner'));
  await s.lapse();
  await s.B.runUntil(after('SET'));
  await s.A.finish();
  expect((await s.end()).verdict.violations).toEqual([]);
});
