import { Schedule, after, before, type World } from '#lab/explore';
import { findStrategy, type Options } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

/** A holds the lock; C waits first, B second. */
async function queued(options: Partial<Options> = {}): Promise<Schedule> {
  const processes = ['p1', 'p2', 'p3'];
  const schedule = await Schedule.begin(world, findStrategy('fair'), { stock: 3, processes, options });
  const { A, B, C } = schedule;
  await A.runUntil(after('acquire-fair'));
  await C.finish();
  await B.finish();
  expect([B.next?.verb, C.next?.verb]).toEqual(['WAIT', 'WAIT']);
  return schedule;
}

const salesOf = async (schedule: Schedule): Promise<string[]> =>
  (await schedule.end()).history.final.movements.map(({ request }) => request);

test('the lock passes to the waiter that came first, and no other waiter wakes up', async () => {
  const schedule = await queued();
  const { A, B, C } = schedule;
  await A.finish();
  expect([B.canMove, C.canMove]).toEqual([false, true]);
  await C.step(); // its wait is over: it holds the lock without asking Redis
  expect(C.next?.kind).toBe('sql');
  expect(await salesOf(schedule)).toEqual(['A', 'C', 'B']);
});

test('a dead waiter receives the lock before its deadline and delays the others by one lease', async () => {
  const schedule = await queued();
  await schedule.C.kill();
  await schedule.A.finish();
  expect(schedule.B.canMove).toBe(false);
  expect(await salesOf(schedule)).toEqual(['A', 'B']);
});

test('a dead waiter at the head is skipped after its deadline; a live one behind it is not', async () => {
  const schedule = await queued();
  const { A, B, C } = schedule;
  await C.kill();
  expect(await schedule.lapse()).toBe(true); // A's lease and C's deadline have passed
  await B.runTowards(before('SELECT'));
  expect(B.next?.kind).toBe('sql');
  await A.kill();
  expect(await salesOf(schedule)).toEqual(['B']);
});

test('a waiter that gives up leaves the queue', async () => {
  const schedule = await queued({ waitMs: 3000 });
  await schedule.A.kill();
  const { history } = await schedule.end();
  expect([schedule.B.outcome, schedule.C.outcome]).toEqual(['LOCK.NOT_OBTAINED', 'LOCK.NOT_OBTAINED']);
  const left = history.events.flatMap((event) =>
    event.type === 'step' && event.script === 'release-fair' ? [event.actor] : [],
  );
  expect(left.toSorted()).toEqual(['B', 'C']);
});

test('a queue entry without a known waiter is skipped, both on acquire and on release', async () => {
  const schedule = await queued();
  await world.redis.del('alive:{item}:fair');
  await schedule.A.finish();
  await world.redis.rpush('line:{item}:fair', 'p9:unknown');
  expect((await salesOf(schedule)).toSorted()).toEqual(['A', 'B', 'C']);
});
