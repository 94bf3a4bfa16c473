/**
 * Scenario: `SET NX PX` on user and form refuses a second click. The handler dies after SET and before it stores the form.
 *
 * Why it breaks: the key says "seen", the shop reads it as "stored".
 *
 * Fix: a unique key in the table of the forms: the decision and the row are one statement.
 */
import { Schedule, after, before, type World } from '#lab/explore';
import { findGuard } from '#lab/guard';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename, []);
});
afterAll(() => world.close());

test('the handler dies after SET: the retry is refused, and nothing is stored', async () => {
  const s = await Schedule.begin(world, findGuard('submission/expiring-key'));
  await s.A.runUntil(after('SET'));
  await s.A.kill();
  await s.B.finish();
  const { verdict, history } = await s.end();
  expect(history.final.effects).toEqual([]);
  expect(verdict.violations.map(({ kind }) => kind)).toEqual(['missing']);
});

test('the key expires before the form is stored: it is stored twice', async () => {
  const s = await Schedule.begin(world, findGuard('submission/expiring-key'));
  await s.A.runUntil(before('INSERT'));
  await s.lapse();
  await s.B.finish();
  const { verdict } = await s.end();
  expect(verdict.violations.map(({ kind }) => kind)).toContain('duplicate');
});

test('a unique key: the retry after a death stores the form, once', async () => {
  const s = await Schedule.begin(world, findGuard('submission/unique-key'));
  await s.A.runUntil(before('INSERT'));
  await s.A.kill();
  const { verdict, history } = await s.end();
  expect(history.final.effects).toMatchObject([{ request: 'B' }]);
  expect(verdict.violations).toEqual([]);
});
