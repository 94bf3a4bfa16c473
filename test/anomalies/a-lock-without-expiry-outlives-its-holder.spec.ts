import { Schedule, after, before, type World } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

test('the holder is killed: the key has no time to live, and whoever waits gives up', async () => {
  const s = await Schedule.begin(world, findStrategy('setnx'));
  await s.A.runUntil(after('SETNX'));
  await s.A.kill();
  await s.B.finish();
  const { verdict, history } = await s.end();
  expect(s.B.outcome).toBe('LOCK.NOT_OBTAINED');
  expect(history.final).toMatchObject({ amount: 1, movements: [], locks: [{ owner: 'A' }] });
  expect(verdict.violations.map(({ kind }) => kind)).toEqual(['stuck']);
});

test('one DEL that fails does the same without anybody dying', async () => {
  const s = await Schedule.begin(world, findStrategy('setnx'));
  await s.A.runUntil(before('DEL'));
  await s.A.stepWith('error');
  const { verdict, history } = await s.end();
  expect(s.A.outcome).toBe('APPLIED');
  expect(history.events.some(({ type }) => type === 'warn')).toBe(true);
  expect(verdict.violations.map(({ kind }) => kind)).toEqual(['stuck']);
});

test('with an expiry the next buyer comes in when the lease is over', async () => {
  const s = await Schedule.begin(world, findStrategy('expiring'));
  await s.A.runUntil(after('SET'));
  await s.A.kill();
  const { verdict } = await s.end();
  expect(s.B.outcome).toBe('APPLIED');
  expect(verdict.violations).toEqual([]);
});
