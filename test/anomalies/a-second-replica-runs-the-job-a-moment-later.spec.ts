/**
 * Scenario: the timers of two replicas start the same job, and a lock is held while the job runs.
 *
 * Why it breaks: the lock excludes two runs at the same time. A replica whose clock is late by a moment finds the lock free.
 *
 * Fix: a row for the period, inserted in the transaction in which the job writes. A lock kept for the whole period loses the
 * run of a replica that dies.
 */
import { Schedule, after, type World } from '#lab/explore';
import { findGuard } from '#lab/guard';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename, []);
});
afterAll(() => world.close());

const kindsAfter = async (s: Schedule): Promise<string[]> =>
  (await s.end()).verdict.violations.map(({ kind }) => kind);

test('lock while running: the second replica starts after the release, and runs the job again', async () => {
  const s = await Schedule.begin(world, findGuard('job/lock-while-running'));
  await s.A.finish();
  await s.B.finish();
  expect(await kindsAfter(s)).toEqual(['duplicate']);
});

test('lock kept for the period: the runner dies, and the period has no run', async () => {
  const s = await Schedule.begin(world, findGuard('job/lock-for-period'));
  await s.A.runUntil(after('SET'));
  await s.A.kill();
  await s.B.finish();
  expect(await kindsAfter(s)).toEqual(['missing']);
});

test('marker of the period: the runner dies before its commit, and the other replica runs the job, once', async () => {
  const s = await Schedule.begin(world, findGuard('job/marker'));
  await s.A.runUntil(after('INSERT'));
  await s.A.kill();
  const { history, verdict } = await s.end();
  expect(history.final.effects).toMatchObject([{ request: 'B' }]);
  expect(verdict.violations).toEqual([]);
});
