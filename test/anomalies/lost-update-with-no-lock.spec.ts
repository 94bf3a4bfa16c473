/**
 * Scenario: read the balance, compute, write it back, with no lock.
 *
 * Why it breaks: both buyers read the same value before either of them writes, so one update overwrites the other.
 *
 * Fix: a lock around read and write, `SELECT … FOR UPDATE`, or one conditional `UPDATE`.
 */
import { Schedule, after, type World } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

test('both buyers read the last unit before either writes: it is sold twice, and one update is lost', async () => {
  const s = await Schedule.begin(world, findStrategy('none'));
  await s.A.runUntil(after('SELECT'));
  await s.B.finish();
  await s.A.finish();
  const { verdict, history } = await s.end();
  expect(verdict.violations.map(({ sentence }) => sentence)).toEqual([
    '2 sold of 1: B 1 → 0, A 1 → 0',
    '1 lost: A and B both changed 1 to 0',
  ]);
  expect(history.final.amount).toBe(0);
});

test('with two units of stock the lost update leaves the balance one too high', async () => {
  const s = await Schedule.begin(world, findStrategy('none'), { stock: 2 });
  await s.A.runUntil(after('SELECT'));
  await s.B.finish();
  await s.A.finish();
  const { verdict, history } = await s.end();
  expect(verdict.violations.map(({ kind }) => kind)).toEqual(['lost-update']);
  expect(history.final.amount).toBe(1);
});
