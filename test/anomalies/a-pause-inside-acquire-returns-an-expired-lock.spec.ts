import { Schedule, before, type World } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename, ['redlock']);
});
afterAll(() => world.close());

/** A has one vote when it stands still until that has expired; the second vote makes a majority on paper. */
async function pausedInAcquire(strategy: string): Promise<Schedule> {
  const s = await Schedule.begin(world, findStrategy(strategy));
  await s.A.step();
  s.A.pause();
  expect(await s.lapse()).toBe(true);
  await s.A.resume();
  await s.A.step();
  return s;
}

test('redlock-beta: it enters although its votes were never valid at one time, and somebody else has a majority', async () => {
  const s = await pausedInAcquire('redlock-beta');
  await s.B.runUntil(before('UPDATE'));
  await s.A.finish();
  await s.B.finish();
  expect([s.A.outcome, s.B.outcome]).toEqual(['APPLIED', 'APPLIED']);
  expect((await s.end()).verdict.violations.map(({ kind }) => kind)).toEqual(['oversold', 'lost-update']);
});

test('redlock: the asking took longer than the lease, so the votes are given back', async () => {
  const s = await pausedInAcquire('redlock');
  while (s.A.next?.kind === 'redis') await s.A.step();
  expect(s.A.next).toMatchObject({ kind: 'timer', verb: 'WAIT' });
  await s.B.finish();
  const { verdict, history } = await s.end();
  expect(verdict.violations).toEqual([]);
  expect(history.final).toMatchObject({ movements: [{}], locks: [] });
});

test('multi-server: what it took last it still has, so nobody else gets all of it', async () => {
  const s = await pausedInAcquire('multi-server');
  await s.B.finish();
  await s.A.finish();
  const { verdict, history } = await s.end();
  expect(verdict.violations).toEqual([]);
  expect(history.final.movements).toHaveLength(1);
});
