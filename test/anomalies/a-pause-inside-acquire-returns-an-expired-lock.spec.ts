/**
 * Scenario: a client of several Redis servers is paused between two votes until the first vote has expired.
 *
 * Why it breaks: redlock-beta counts votes without checking how long collecting them took, so it enters with a
 * majority that never existed at one moment.
 *
 * Fix: measure the time of the acquisition, and release all votes when it exceeds the lease.
 */
import { Schedule, before, type World } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename, ['redlock']);
});
afterAll(() => world.close());

/**
 * A has one vote and is paused until that vote has expired; then it receives the second one, which looks like a
 * majority.
 */
async function pausedInAcquire(strategy: string): Promise<Schedule> {
  const s = await Schedule.begin(world, findStrategy(strategy));
  await s.A.step();
  s.A.pause();
  expect(await s.lapse()).toBe(true);
  await s.A.resume();
  await s.A.step();
  return s;
}

test('redlock-beta: A enters although its votes were never valid at the same time and B has a majority', async () => {
  const s = await pausedInAcquire('redlock-beta');
  await s.B.runUntil(before('UPDATE'));
  await s.A.finish();
  await s.B.finish();
  expect([s.A.outcome, s.B.outcome]).toEqual(['APPLIED', 'APPLIED']);
  expect((await s.end()).verdict.violations.map(({ kind }) => kind)).toEqual(['oversold', 'lost-update']);
});

test('redlock: the acquisition took longer than the lease, so A releases its votes and retries', async () => {
  const s = await pausedInAcquire('redlock');
  while (s.A.next?.kind === 'redis') await s.A.step();
  expect(s.A.next).toMatchObject({ kind: 'timer', verb: 'WAIT' });
  await s.B.finish();
  const { verdict, history } = await s.end();
  expect(verdict.violations).toEqual([]);
  expect(history.final).toMatchObject({ movements: [{}], locks: [] });
});

test('multi-server: the vote acquired last is still valid, so no other client can acquire all servers', async () => {
  const s = await pausedInAcquire('multi-server');
  await s.B.finish();
  await s.A.finish();
  const { verdict, history } = await s.end();
  expect(verdict.violations).toEqual([]);
  expect(history.final.movements).toHaveLength(1);
});
