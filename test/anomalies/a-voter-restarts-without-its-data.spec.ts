import { Schedule, before, type World } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename, ['redlock']);
});
afterAll(() => world.close());

/** A works under a lock that one voter never heard of; then one of the others restarts empty. */
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
  '%s: the voter that forgot and the voter that never knew are a majority for a second holder',
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

test('redlock: a lock that all voters knew survives that one of them forgets it', async () => {
  const s = await restart('redlock', 'none');
  await s.B.finish();
  expect(s.B.next).toMatchObject({ kind: 'timer', verb: 'WAIT' });
  await s.A.finish();
  expect((await s.end()).verdict.violations).toEqual([]);
});

test('multi-server: the voters that still know it keep the second one out', async () => {
  const s = await restart('multi-server', 'none');
  await s.B.finish();
  expect(s.B.next).toMatchObject({ kind: 'timer', verb: 'WAIT' });
  await s.A.finish();
  const { verdict, history } = await s.end();
  expect(verdict.violations).toEqual([]);
  expect(history.final.movements).toHaveLength(1);
});
