import { EXPLORE_OPTIONS, Schedule, after, normalize, play, type World, readSchedule } from '#lab/explore';
import { findStrategy, lockKey } from '#lab/strategy';
import { dataSourceOf, planted } from '../harness/planted';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename, []);
});
afterAll(() => world.close());

/** Races with real time are rare: the number of runs that must all give the same result. */
const RUNS = 100;
const A_YEAR_MS = 365 * 24 * 3600 * 1000;

test('between two steps no real time ends a lease; a step sees the remaining virtual time', async () => {
  const schedule = await Schedule.begin(world, findStrategy('token-lua'), {
    options: { leaseMs: 10_000, workMs: 1 },
  });
  const key = lockKey('item', 'token-lua');
  await schedule.A.runUntil(after('SET'));
  expect(await world.redis.pttl(key)).toBeGreaterThan(A_YEAR_MS);
  const [lock] = schedule.run.locks.states();
  expect(lock).toMatchObject({ key, owner: 'A', expiresAt: 10_000 });
  await schedule.B.step(); // a SET that finds the key
  expect(schedule.run.locks.states()).toEqual([lock]);
  expect(await schedule.lapse()).toBe(true);
  expect(await world.redis.exists(key)).toBe(0);
  await schedule.end();
});

test('a lock row expires when the schedule says so, not earlier', async () => {
  const schedule = await Schedule.begin(world, findStrategy('mysql-lock-table-ttl'));
  const { A, run } = schedule;
  await A.runUntil(after('INSERT'));
  const left = await dataSourceOf(world, { request: 'A' } as never).query<{ days: number }[]>(
    'SELECT TIMESTAMPDIFF(DAY, NOW(), expires_at) AS days FROM balance_lock',
  );
  expect(left[0]?.days).toBeGreaterThan(365);
  expect(run.locks.states()).toMatchObject([{ owner: 'A', expiresAt: EXPLORE_OPTIONS.leaseMs }]);
  expect(await schedule.lapse()).toBe(true);
  await schedule.B.finish();
  expect(schedule.B.outcome).toBe('APPLIED');
  await schedule.end();
});

test(`the session of a disconnected client ends before the next step: ${RUNS} runs give one history`, async () => {
  const setup = {
    strategy: findStrategy('mysql-named-lock'),
    options: EXPLORE_OPTIONS,
    stock: 1,
    processes: ['p1', 'p2', 'p3'],
  };
  const histories = new Set<string>();
  for (let i = 0; i < RUNS; i++)
    histories.add(
      normalize((await play(world, setup, readSchedule('Qabcb') ?? [], { strict: true })).history),
    );
  expect(histories.size).toBe(1);
});

test('of two waiters for a named lock the next holder is no longer blocked', async () => {
  for (let i = 0; i < RUNS; i++) {
    const schedule = await Schedule.begin(world, findStrategy('mysql-named-lock'), {
      processes: ['p1', 'p2', 'p3'],
      stock: 3,
    });
    const { A, B, C } = schedule;
    await A.runUntil(after('SELECT GET_LOCK'));
    await B.step();
    await C.step();
    expect([B.actor.blocked, C.actor.blocked]).toEqual([true, true]);
    await A.finish();
    expect([A.outcome, B.actor.blocked, C.actor.blocked]).toEqual(['APPLIED', false, true]);
    const { history } = await schedule.end();
    expect(history.final.movements.map(({ request }) => request)).toEqual(['A', 'B', 'C']);
  }
});

test('a lock wait that cannot end times out, and the transactions stay as they are', async () => {
  const acrossSessions = planted('across-sessions', async (change) => {
    const source = dataSourceOf(world, change);
    return source.transaction(async (outer) => {
      await outer.query('UPDATE balance SET amount = 7 WHERE id = ?', [change.balance]);
      await source.transaction(async (inner) => {
        await inner.query("UPDATE balance SET amount = 5 WHERE id = 'other'");
        await inner
          .query('UPDATE balance SET amount = 0 WHERE id = ?', [change.balance])
          .catch((error: unknown) => {
            expect(error).toMatchObject({ errno: 1205, code: 'ER_LOCK_WAIT_TIMEOUT' });
          });
        expect(await inner.query("SELECT amount FROM balance WHERE id = 'other'")).toEqual([{ amount: 5 }]);
      });
      return { ...change, before: 1, after: 0 };
    });
  });
  const schedule = await Schedule.begin(world, acrossSessions, { processes: ['p1'] });
  const { history } = await schedule.end();
  expect(schedule.A.outcome).toBe('APPLIED');
  expect(history.events).toContainEqual(
    expect.objectContaining({ type: 'time', text: expect.stringContaining('time-out') as string }),
  );
  expect(history.events).toContainEqual(
    expect.objectContaining({ error: 'Lock wait timeout exceeded; try restarting transaction' }),
  );
  expect(history.final.amount).toBe(7);
});
