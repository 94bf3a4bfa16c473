import { Schedule, before, type World } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

const soldTwice = ['oversold', 'lost-update', 'overlap'];

test('the process is paused after its last check and before its write: its watchdog is paused too', async () => {
  const s = await Schedule.begin(world, findStrategy('watchdog'));
  await s.A.runUntil(before('UPDATE'));
  s.A.pause();
  expect(await s.lapse()).toBe(true);
  await s.B.finish();
  await s.A.resume();
  await s.A.finish();
  expect((await s.end()).verdict.violations.map(({ kind }) => kind)).toEqual(soldTwice);
});

test('paused before its last check it notices: nothing is written', async () => {
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

test('cut off from Redis it cannot renew; the deadline of its own clock stops it only before the check', async () => {
  const s = await Schedule.begin(world, findStrategy('watchdog'));
  await s.A.runUntil(before('UPDATE'));
  s.A.cut();
  expect(await s.lapse()).toBe(true);
  await s.B.finish();
  await s.A.finish();
  expect((await s.end()).verdict.violations.map(({ kind }) => kind)).toEqual(soldTwice);
});

test('a process that is well does not lose its lease', async () => {
  const s = await Schedule.begin(world, findStrategy('watchdog'));
  await s.A.runUntil(before('UPDATE'));
  expect(await s.lapse()).toBe(false);
  await s.B.finish();
  await s.A.finish();
  expect((await s.end()).verdict.violations).toEqual([]);
});
