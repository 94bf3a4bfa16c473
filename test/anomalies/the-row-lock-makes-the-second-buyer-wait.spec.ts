/**
 * Scenario: the database itself serializes two buyers: with `SELECT … FOR UPDATE`, or with one conditional
 * `UPDATE`, the second one waits for the row lock of the first. The lock ends with the transaction, so a crashed
 * buyer leaves no lock.
 *
 * Cost: every waiter occupies a database connection.
 */
import { Schedule, after, before, type World } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

test('for-update: the second buyer waits for the row lock and reads what the first one has written', async () => {
  const s = await Schedule.begin(world, findStrategy('for-update'));
  await s.A.runUntil(before('UPDATE'));
  await s.B.finish();
  expect([s.B.outcome, s.B.actor.blocked]).toEqual([undefined, true]);
  await s.A.finish();
  await s.B.finish();
  expect([s.A.outcome, s.B.outcome]).toEqual(['APPLIED', 'STOCK.SOLD_OUT']);
  const { verdict, history } = await s.end();
  expect(verdict.violations).toEqual([]);
  const waited = history.events.filter((event) => event.type === 'step' && event.answeredAt !== undefined);
  expect(waited).toMatchObject([{ actor: 'B', verb: 'SELECT' }]);
});

test('for-update: when the first buyer is killed, the database rolls back and the second buyer continues', async () => {
  const s = await Schedule.begin(world, findStrategy('for-update'));
  await s.A.runUntil(before('COMMIT'));
  await s.B.finish();
  await s.A.kill();
  await s.B.finish();
  expect(s.B.outcome).toBe('APPLIED');
  expect((await s.end()).history.final).toMatchObject({ amount: 0, movements: [{ request: 'B' }] });
});

test('conditional-update: the second UPDATE waits for the first and then matches no row', async () => {
  const s = await Schedule.begin(world, findStrategy('conditional-update'));
  await s.A.runUntil(after('UPDATE'));
  await s.B.finish();
  expect(s.B.actor.blocked).toBe(true);
  await s.A.finish();
  await s.B.finish();
  expect([s.A.outcome, s.B.outcome]).toEqual(['APPLIED', 'STOCK.SOLD_OUT']);
  expect((await s.end()).verdict.violations).toEqual([]);
});
