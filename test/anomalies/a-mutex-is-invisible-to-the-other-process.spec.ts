/**
 * Scenario: the service protects the sale with an in-memory mutex and runs as two processes.
 *
 * Why it breaks: each process has its own mutex, so both enter the critical section. In one process the same code
 * is exact.
 *
 * Fix: a lock outside the processes (Redis, database, ZooKeeper, etcd).
 */
import { Schedule, after, before, type World } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

test('with two processes both buyers are in the critical section at the same time', async () => {
  const s = await Schedule.begin(world, findStrategy('local-mutex'), { processes: ['p1', 'p2'] });
  await s.A.runUntil(after('SELECT'));
  await s.B.runUntil(after('SELECT'));
  await s.A.finish();
  await s.B.finish();
  const { verdict } = await s.end();
  expect(verdict.violations.map(({ kind }) => kind)).toEqual(['oversold', 'lost-update']);
});

test('in one process the second buyer waits at the mutex until the first one has finished', async () => {
  const s = await Schedule.begin(world, findStrategy('local-mutex'), { processes: ['p1', 'p1'] });
  await s.A.runUntil(before('COMMIT'));
  await s.B.finish();
  expect(s.B.next).toMatchObject({ kind: 'local', verb: 'LOCK' });
  await s.A.finish();
  await s.B.finish();
  expect([s.A.outcome, s.B.outcome]).toEqual(['APPLIED', 'STOCK.SOLD_OUT']);
  expect((await s.end()).verdict.violations).toEqual([]);
});
