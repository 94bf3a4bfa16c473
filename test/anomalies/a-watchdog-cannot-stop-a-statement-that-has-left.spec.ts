/**
 * Scenario: a watchdog renews the lease, and the process is paused, or cut off from Redis, between its last check
 * and its write.
 *
 * Why it breaks: a pause also pauses the watchdog, and the lease ends; once the process has checked, no renewal
 * and no deadline stops the statement it sends next.
 *
 * Fix: no lock alone helps; the write has to carry a fencing token or a condition that the database checks.
 */
import { Schedule, before, type World } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

const soldTwice = ['oversold', 'lost-update', 'overlap'];

test('a pause between the last check and the write also pauses the watchdog: the unit is sold twice', async () => {
  const s = await Schedule.begin(world, findStrategy('watchdog'));
  await s.A.runUntil(before('UPDATE'));
  s.A.pause();
  expect(await s.lapse()).toBe(true);
  await s.B.finish();
  await s.A.resume();
  await s.A.finish();
  expect((await s.end()).verdict.violations.map(({ kind }) => kind)).toEqual(soldTwice);
});

test('a pause before the last check is detected: the outcome is LOCK.LOST and the holder writes nothing', async () => {
  const s = await Schedule.begin(world, findStrategy('watchdog'), { options: { workMs: 10 } });
  await s.A.runUntil(before('WORK'));
  s.A.pause();
  await s.lapse();
  await s.B.finish();
  await s.A.resume();
  await s.A.finish();
  expect(s.A.outcome).toBe('LOCK.LOST');
  expect((await s.end()).history.final.movements).toHaveLength(1);
});

test('cut off from Redis, the holder cannot renew; its local deadline stops it only before its last check', async () => {
  const s = await Schedule.begin(world, findStrategy('watchdog'));
  await s.A.runUntil(before('UPDATE'));
  s.A.cut();
  expect(await s.lapse()).toBe(true);
  await s.B.finish();
  await s.A.finish();
  expect((await s.end()).verdict.violations.map(({ kind }) => kind)).toEqual(soldTwice);
});

test('a running process renews its lease and does not lose it', async () => {
  const s = await Schedule.begin(world, findStrategy('watchdog'));
  await s.A.runUntil(before('UPDATE'));
  expect(await s.lapse()).toBe(false);
  await s.B.finish();
  await s.A.finish();
  expect((await s.end()).verdict.violations).toEqual([]);
});
