/**
 * Scenario: the host of a buyer fails while its transaction holds a row lock. A process that dies closes its connection, and the
 * database rolls back; a host that loses power or network closes nothing. The database keeps the transaction until TCP
 * keep-alive (two hours by default in Linux) or `wait_timeout` (eight hours by default in MySQL) ends the session, and all that
 * time every other buyer of the row waits for `innodb_lock_wait_timeout` and fails.
 *
 * A strategy that writes the stock in a transaction does not prevent this: a lease of a lock in Redis ends, the row lock does not.
 * Shorter keep-alive and `wait_timeout` bound it.
 */
import { after, before, Schedule, type World } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

test('conditional-update: after the host of the first buyer fails, the second one waits until its time-out', async () => {
  const s = await Schedule.begin(world, findStrategy('conditional-update'));
  await s.A.runUntil(after('UPDATE'));
  await s.A.loseHost();
  await s.B.finish();
  expect([s.A.outcome, s.B.outcome, s.B.actor.blocked]).toEqual(['DIED', undefined, true]);
  const { history, verdict } = await s.end();
  expect(history.events).toContainEqual(
    expect.objectContaining({ actor: 'B', verb: 'UPDATE', errorCode: 'ER_LOCK_WAIT_TIMEOUT' }),
  );
  expect(verdict.violations).toEqual([
    {
      kind: 'stuck',
      sentence: expect.stringMatching(
        /^B's UPDATE at step \d+ waited for a lock until its time-out: the host of A is down/,
      ) as string,
      at: expect.any(Array) as number[],
    },
  ]);
  expect(history.final).toMatchObject({ amount: 1, movements: [] });
});

test('expiring: its lease ends and the second buyer enters, but its UPDATE waits for the row lock of the first', async () => {
  const s = await Schedule.begin(world, findStrategy('expiring'));
  await s.A.runUntil(before('COMMIT'));
  await s.A.loseHost();
  const { history, verdict } = await s.end();
  expect(history.final).toMatchObject({ amount: 1, movements: [] });
  expect(verdict.violations.map(({ kind }) => kind)).toContain('stuck');
  expect(
    history.events.find((event) => 'errorCode' in event && event.errorCode === 'ER_LOCK_WAIT_TIMEOUT'),
  ).toMatchObject({ actor: 'B', verb: 'UPDATE' });
});

test('conditional-update: the host of the first buyer fails before its UPDATE, and the second buyer buys, in two schedules in a row', async () => {
  for (let n = 0; n < 2; n++) {
    const s = await Schedule.begin(world, findStrategy('conditional-update'));
    await s.A.runUntil(before('UPDATE'));
    await s.A.loseHost();
    await s.B.finish();
    expect(s.B.outcome).toBe('APPLIED');
    expect((await s.end()).verdict.violations).toEqual([]);
  }
});

test('for-update: a statement that waits for the row is executed after its host has failed, and keeps the row', async () => {
  const s = await Schedule.begin(world, findStrategy('for-update'), {
    stock: 2,
    processes: ['p1', 'p2', 'p3'],
  });
  await s.A.runUntil(before('COMMIT'));
  await s.B.finish();
  await s.B.loseHost();
  expect([s.B.outcome, s.B.actor.blocked]).toEqual(['DIED', true]);
  await s.A.finish();
  expect([s.A.outcome, s.B.actor.blocked]).toEqual(['APPLIED', false]);
  await s.C.finish();
  expect([s.C.outcome, s.C.actor.blocked]).toEqual([undefined, true]);
  const { history, verdict } = await s.end();
  expect(verdict.violations).toMatchObject([{ kind: 'stuck' }]);
  expect(history.final).toMatchObject({ amount: 1, movements: [{ request: 'A' }] });
});
