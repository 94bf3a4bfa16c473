/**
 * Scenario: a consumer has received a message and not yet acknowledged it. The stream gives it to another consumer, because the
 * first one may be dead.
 *
 * Why it breaks: "at least once" means twice. A key in Redis that says "seen" loses the message when the consumer dies after it.
 *
 * Fix: the id of the message is a unique key of the row that applies it.
 */
import { Schedule, after, before, type World } from '#lab/explore';
import { findGuard } from '#lab/guard';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename, []);
});
afterAll(() => world.close());

test('receive, apply, acknowledge: both consumers apply the message', async () => {
  const s = await Schedule.begin(world, findGuard('consumption/unprotected'));
  await s.A.runUntil(before('INSERT'));
  await s.B.finish();
  const { verdict, history } = await s.end();
  expect(history.final.effects).toHaveLength(2);
  expect(verdict.violations.map(({ kind }) => kind)).toEqual(['duplicate']);
});

test('a key in Redis: the consumer dies after SET, and the message is acknowledged without having been applied', async () => {
  const s = await Schedule.begin(world, findGuard('consumption/lock'));
  await s.A.runUntil(after('SET'));
  await s.A.kill();
  await s.B.finish();
  const { verdict, history } = await s.end();
  expect(history.final.effects).toEqual([]);
  expect(verdict.violations.map(({ kind }) => kind)).toEqual(['missing']);
});

test('a unique key: death and second delivery, one credit', async () => {
  const s = await Schedule.begin(world, findGuard('consumption/unique-key'));
  await s.A.runUntil(after('INSERT'));
  await s.A.kill();
  const { verdict, history } = await s.end();
  expect(history.final.effects).toHaveLength(1);
  expect(verdict.violations).toEqual([]);
});
