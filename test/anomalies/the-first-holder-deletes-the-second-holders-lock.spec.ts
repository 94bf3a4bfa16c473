/**
 * Scenario: A's lease ends before it releases, B acquires the lock, and A's unconditional `DEL` deletes B's key,
 * so that C enters while B works.
 *
 * Fix: store an owner token in the key and delete the key only if the token matches. The comparison has to be atomic:
 * see the-lease-ends-between-get-and-del.
 */
import { Schedule, before, type World } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

test("expiring: A's lease ends, B enters, A deletes B's lock, and C enters while B is in the critical section", async () => {
  const s = await Schedule.begin(world, findStrategy('expiring'), {
    stock: 3,
    processes: ['p1', 'p2', 'p3'],
  });
  await s.A.runUntil(before('DEL'));
  await s.lapse();
  await s.B.runUntil(before('UPDATE'));
  await s.A.finish();
  await s.C.finish();
  await s.B.finish();
  const { verdict } = await s.end();
  const foreign = verdict.violations.find(({ kind }) => kind === 'foreign-release');
  expect(foreign?.sentence).toMatch(
    /^A released B's lock: A's lease ended at step 7, B took it at step 8, A's DEL at step 11 removed it; C entered while B was inside$/,
  );
  expect(verdict.violations.map(({ kind }) => kind)).toContain('lost-update');
});

test('token-checked: the owner token shows A that the lock is no longer its own', async () => {
  const s = await Schedule.begin(world, findStrategy('token-checked'), { stock: 3 });
  await s.A.runUntil(before('GET'));
  await s.lapse();
  await s.B.runUntil(before('UPDATE'));
  await s.A.finish();
  const { verdict } = await s.end();
  expect(verdict.violations.map(({ kind }) => kind)).not.toContain('foreign-release');
});
