/**
 * Scenario: `SETNX` without an expiry, and the holder crashes or its `DEL` fails.
 *
 * Why it breaks: nothing but the release of the holder removes the key, so the product stays locked until an operator
 * intervenes.
 *
 * Fix: `SET NX PX`, which sets the key and its expiry in one command.
 */
import { Schedule, after, before, type World } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

test('setnx: when the holder is killed, its key never expires and the waiter times out', async () => {
  const s = await Schedule.begin(world, findStrategy('setnx'));
  await s.A.runUntil(after('SETNX'));
  await s.A.kill();
  await s.B.finish();
  const { verdict, history } = await s.end();
  expect(s.B.outcome).toBe('LOCK.NOT_OBTAINED');
  expect(history.final).toMatchObject({ amount: 1, movements: [], locks: [{ owner: 'A' }] });
  expect(verdict.violations.map(({ kind }) => kind)).toEqual(['stuck']);
});

test('setnx: one failed DEL leaves the key locked although no process crashed', async () => {
  const s = await Schedule.begin(world, findStrategy('setnx'));
  await s.A.runUntil(before('DEL'));
  await s.A.stepWith('error');
  const { verdict, history } = await s.end();
  expect(s.A.outcome).toBe('APPLIED');
  expect(history.events.some(({ type }) => type === 'warn')).toBe(true);
  expect(verdict.violations.map(({ kind }) => kind)).toEqual(['stuck']);
});

test('expiring: when the holder is killed, the waiter enters after the lease ends', async () => {
  const s = await Schedule.begin(world, findStrategy('expiring'));
  await s.A.runUntil(after('SET'));
  await s.A.kill();
  const { verdict } = await s.end();
  expect(s.B.outcome).toBe('APPLIED');
  expect(verdict.violations).toEqual([]);
});
