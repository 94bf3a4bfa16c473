import { Schedule, after, before, type World } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

/** A holds the lock and has released it in one of three servers; B was refused, and is before the last step of its attempt. */
async function beforeRetry(strategy: string): Promise<Schedule> {
  const schedule = await Schedule.begin(world, findStrategy(strategy), { stock: 2 });
  const { A, B } = schedule;
  await A.runUntil(before('UPDATE balance SET amount'));
  while (B.next?.lock?.role !== 'release') await B.step();
  while (B.actor.held.length > 1) await B.step();
  await A.runUntil(after(strategy === 'redlock' ? 'release-redlock' : 'release-if-owner'));
  expect(B.next).toMatchObject({ lock: { role: 'release' } });
  return schedule;
}

/** B does not hold the lock, so that its last release changes nothing: these orders have the same effect. */
test.each([
  ['redlock', 'AB'],
  ['redlock', 'BA'],
  ['multi-server', 'AB'],
  ['multi-server', 'BA'],
] as const)(
  '%s: a waiter may try again when a majority of the servers is free, in the order %s of independent steps',
  async (strategy, order) => {
    const schedule = await beforeRetry(strategy);
    const { A, B } = schedule;
    for (const actor of order) await schedule[actor as 'A' | 'B'].step();
    expect(A.next).toMatchObject({ lock: { role: 'release' }, server: 'redis-3' }); // the third part is not free
    expect(B.next).toMatchObject({ verb: 'WAIT' });
    expect(B.canMove).toBe(true);
    await A.finish();
    await schedule.end();
  },
);

test('redlock: a waiter waits while only one of three servers is free', async () => {
  const schedule = await beforeRetry('redlock');
  await schedule.B.step();
  expect(schedule.B.next).toMatchObject({ verb: 'WAIT' });
  expect(schedule.B.canMove).toBe(false);
  await schedule.A.step();
  expect(schedule.B.canMove).toBe(true);
  await schedule.end();
});
