import { Schedule, after, before, type Breakpoint, type World } from '#lab/explore';
import { observe, systemClock } from '#lab/step';
import { DEFAULT_OPTIONS, findStrategy, LocalProcess } from '#lab/strategy';
import { LONGER_THAN_A_TEST } from '../harness/limits';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

const BALANCE = 'item';
const redisDecr = findStrategy('redis-decr');

/** Reconciles on connections of its own, where no step is held. Returns by how many units the count changed. */
async function reconcile(): Promise<number | undefined> {
  const connections = world.connectionsOfActors[2];
  if (connections === undefined) throw new Error('the world has no third actor');
  const { balances, redis } = connections;
  const process = new LocalProcess('reconciler');
  const tools = {
    balances,
    redis,
    process,
    options: { ...DEFAULT_OPTIONS, ...LONGER_THAN_A_TEST },
    clock: systemClock,
    warn: () => undefined,
  };
  return redisDecr.reconcile?.(BALANCE, tools);
}

/** The units left according to Redis and to the database. */
const left = async (): Promise<[count: number, stock: number]> => [
  Number(await world.redis.get(`stock:{${BALANCE}}`)),
  (await world.look()).amount,
];

const begin = (stock = 1): Promise<Schedule> => Schedule.begin(world, redisDecr, { stock });

/** The step counts after which a lone buyer can be killed. */
async function stepsOfOne(): Promise<number[]> {
  const schedule = await Schedule.begin(world, redisDecr, { processes: ['p1'] });
  const { history } = await schedule.end();
  return history.events.filter(({ type }) => type === 'step').map((_, i) => i);
}

test('killed at any step, then reconciled: the last unit can be sold, and only once', async () => {
  const changes: (number | undefined)[] = [];
  for (const steps of await stepsOfOne()) {
    const schedule = await begin();
    for (let n = 0; n < steps; n++) await schedule.A.step();
    await schedule.A.kill();
    changes.push(await reconcile());
    expect(await reconcile()).toBe(0);
    await schedule.B.finish();
    expect(await left()).toEqual([0, 0]);
    const { history } = await schedule.end(); // resets everything
    expect([steps, history.final.movements.length]).toEqual([steps, 1]);
  }
  expect(changes.filter((units) => units === 1).length).toBeGreaterThanOrEqual(3); // the reconciler did have work to do
});

test('without the reconciler the unit is lost: the next buyer receives a sold-out answer', async () => {
  const schedule = await begin();
  await schedule.A.runUntil(before('UPDATE'));
  await schedule.A.kill();
  await schedule.B.finish();
  const { verdict } = await schedule.end();
  expect(verdict.violations.map(({ kind }) => kind)).toEqual(['undersold']);
});

test('concurrent reconcilers return the units once', async () => {
  const schedule = await begin(5);
  await schedule.A.runUntil(before('UPDATE'));
  await schedule.A.kill();
  const changes = await Promise.all([1, 2, 3, 4].map(reconcile));
  expect(changes.toSorted()).toEqual([0, 0, 0, 1]);
  expect(await left()).toEqual([5, 5]);
  await schedule.end();
});

describe('a live buyer whose units were returned', () => {
  const atItsWrite: [string, Breakpoint][] = [
    ['before its transaction', before('START')],
    ['before its write', before('UPDATE')],
    ['before its COMMIT', before('COMMIT')],
  ];

  test.each(atItsWrite)('%s: it buys, and the count is corrected', async (_, breakpoint) => {
    const schedule = await begin();
    await schedule.A.runUntil(breakpoint);
    expect(await reconcile()).toBe(1);
    await schedule.A.finish();
    await schedule.B.finish();
    expect(await left()).toEqual([0, 0]);
    const { history } = await schedule.end();
    expect([schedule.A.outcome, schedule.B.outcome]).toEqual(['APPLIED', 'STOCK.SOLD_OUT']);
    expect(history.final.movements).toHaveLength(1);
  });

  test('another buyer takes them first: the row refuses the late write, and the count is correct', async () => {
    const schedule = await begin();
    await schedule.A.runUntil(before('UPDATE'));
    expect(await reconcile()).toBe(1);
    await schedule.B.finish();
    await schedule.A.finish();
    expect(await left()).toEqual([0, 0]);
    expect([schedule.A.outcome, schedule.B.outcome]).toEqual(['STOCK.SOLD_OUT', 'APPLIED']);
    await schedule.end();
  });

  test('it writes before the buyer that has taken them: the row refuses that buyer, and the count is correct', async () => {
    const schedule = await begin();
    await schedule.A.runUntil(before('UPDATE'));
    await reconcile();
    await schedule.B.runUntil(before('UPDATE'));
    await schedule.A.finish();
    await schedule.B.finish();
    expect(await left()).toEqual([0, 0]);
    expect([schedule.A.outcome, schedule.B.outcome]).toEqual(['APPLIED', 'STOCK.SOLD_OUT']);
    await schedule.end();
  });

  test('it commits while a reconciler is between settling and lowering: its units are counted once', async () => {
    const schedule = await begin(5);
    const { A } = schedule;
    await A.runUntil(before('COMMIT'));
    const seen: (string | undefined)[] = [];
    await observe(
      {
        actor: 'reconciler',
        listener: async ({ text }, issue) => {
          if (text.startsWith('SELECT amount')) {
            seen.push(A.next?.verb);
            await A.step();
          }
          return issue();
        },
      },
      reconcile,
    );
    await A.finish();
    expect(seen).toEqual(['COMMIT']);
    expect(await left()).toEqual([4, 4]);
    expect(await reconcile()).toBe(0);
    await schedule.end();
  });

  test('it crashes after its COMMIT: the next reconciliation takes the units again', async () => {
    const schedule = await begin();
    await schedule.A.runUntil(before('COMMIT'));
    expect(await reconcile()).toBe(1);
    await schedule.A.step();
    await schedule.A.kill();
    expect(await reconcile()).toBe(-1);
    expect(await reconcile()).toBe(0);
    expect(await left()).toEqual([0, 0]);
    await schedule.end();
  });
});

test('a lost reply to the take returns the units at once', async () => {
  const schedule = await begin();
  await schedule.A.runUntil(after('SET'));
  await schedule.A.stepWith('lose-reply');
  await schedule.A.finish();
  expect(schedule.A.outcome).toBe('DEPENDENCY.DOWN');
  expect(await left()).toEqual([1, 1]);
  expect(await reconcile()).toBe(0);
  await schedule.B.finish();
  expect(schedule.B.outcome).toBe('APPLIED');
  expect(await left()).toEqual([0, 0]);
  await schedule.end();
});

test('a lost reply to the COMMIT returns nothing; the reconciler finds the movement', async () => {
  const schedule = await begin();
  await schedule.A.runUntil(before('COMMIT'));
  await schedule.A.stepWith('lose-reply');
  await schedule.A.finish();
  expect(schedule.A.outcome).toBe('OUTCOME_UNKNOWN');
  expect(await reconcile()).toBe(0);
  await schedule.B.finish();
  expect(schedule.B.outcome).toBe('STOCK.SOLD_OUT');
  expect(await left()).toEqual([0, 0]);
  await schedule.end();
});

test('a count reloaded during a write is too high, oversells nothing, and is lowered by the reconciler', async () => {
  const schedule = await begin(2);
  await schedule.A.runUntil(before('COMMIT'));
  await schedule.flush();
  await schedule.B.runUntil(before('UPDATE'));
  await schedule.A.finish();
  await schedule.B.finish();
  expect([schedule.A.outcome, schedule.B.outcome]).toEqual(['APPLIED', 'APPLIED']);
  expect(await left()).toEqual([1, 0]);
  expect(await reconcile()).toBe(-1);
  expect(await left()).toEqual([0, 0]);
  await schedule.end();
});

test('a refused write after Redis has restarted empty creates no count', async () => {
  const schedule = await begin(2);
  await schedule.A.runUntil(before('UPDATE'));
  await schedule.flush();
  await schedule.A.stepWith('error');
  await schedule.A.finish();
  expect(await world.redis.exists(`stock:{${BALANCE}}`)).toBe(0);
  await schedule.B.finish();
  expect(schedule.B.outcome).toBe('APPLIED');
  expect(await left()).toEqual([1, 1]);
  await schedule.end();
});
