/**
 * Scenario: a lease elects a leader, which is paused before it writes. The lease ends, another replica is elected and writes,
 * and the first leader resumes.
 *
 * Why it breaks: a leader cannot know that it no longer leads: it was not running when its lease ended.
 *
 * Fix: each election has an epoch, and the journal itself refuses an epoch that is older than the last one it has seen.
 */
import { Schedule, before, type World } from '#lab/explore';
import { findGuard } from '#lab/guard';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename, []);
});
afterAll(() => world.close());

/** A is paused before this step; its lease ends; B is elected and writes; A resumes. */
async function pausedLeader(guard: string, step: string): Promise<{ s: Schedule; kinds: string[] }> {
  const s = await Schedule.begin(world, findGuard(guard));
  await s.A.runUntil(before(step));
  s.A.pause();
  await s.lapse();
  await s.B.finish();
  await s.A.resume();
  const { verdict } = await s.end();
  return { s, kinds: verdict.violations.map(({ kind }) => kind) };
}

test('lease: the journal accepts the entry of the former leader', async () => {
  const { s, kinds } = await pausedLeader('leader/lease', 'INSERT');
  expect([s.A.outcome, s.B.outcome]).toEqual(['APPLIED', 'APPLIED']);
  expect(kinds).toEqual(expect.arrayContaining(['duplicate', 'stale-write']));
});

test('lease and fencing token: the journal refuses the older epoch', async () => {
  const { s, kinds } = await pausedLeader('leader/lease-fenced', 'UPDATE');
  expect([s.A.outcome, s.B.outcome]).toEqual(['LOCK.FENCED', 'APPLIED']);
  expect(kinds).not.toContain('stale-write');
  expect(kinds).not.toContain('duplicate');
});
