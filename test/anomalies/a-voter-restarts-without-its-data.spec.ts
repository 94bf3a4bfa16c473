/**
 * Scenario: a holder has the votes of two of three Redis servers; one of these two restarts without its data (no
 * persistence).
 *
 * Why it breaks: that server and the one that never voted are a majority for a second holder.
 *
 * Fix: delay the restart by the longest lease, use `appendfsync always`, or require all servers instead of a majority
 * (multi-server), which gives up availability.
 */
import { Schedule, before, type World } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename, ['redlock']);
});
afterAll(() => world.close());

/** A holds the lock, which one server may have missed; then another server restarts without its data. */
async function restart(strategy: string, missed: 'redis-3' | 'none'): Promise<Schedule> {
  const s = await Schedule.begin(world, findStrategy(strategy));
  await s.A.step();
  await s.A.step();
  if (missed === 'redis-3') await s.A.stepWith('error');
  await s.A.runUntil(before('UPDATE'));
  await s.flush('redis-1');
  return s;
}

test.each(['redlock', 'redlock-beta'])(
  '%s: the restarted server and the server that missed the lock are a majority for a second holder',
  async (name) => {
    const s = await restart(name, 'redis-3');
    await s.B.finish();
    await s.A.finish();
    expect((await s.end()).verdict.violations.map(({ kind }) => kind)).toEqual([
      'oversold',
      'lost-update',
      'overlap',
    ]);
  },
);

test('redlock: a lock that all servers have survives the restart of one of them', async () => {
  const s = await restart('redlock', 'none');
  await s.B.finish();
  expect(s.B.next).toMatchObject({ kind: 'timer', verb: 'WAIT' });
  await s.A.finish();
  expect((await s.end()).verdict.violations).toEqual([]);
});

test('multi-server: the servers that still have the lock block the second buyer', async () => {
  const s = await restart('multi-server', 'none');
  await s.B.finish();
  expect(s.B.next).toMatchObject({ kind: 'timer', verb: 'WAIT' });
  await s.A.finish();
  const { verdict, history } = await s.end();
  expect(verdict.violations).toEqual([]);
  expect(history.final.movements).toHaveLength(1);
});
