import { Schedule, after, before, type Breakpoint, type World } from '#lab/explore';
import { observe, systemClock } from '#lab/step';
import { DEFAULT_OPTIONS, findStrategy, LocalProcess } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

const BALANCE = 'item';
const redisDecr = findStrategy('redis-decr');

/** The reconciler sits in a place of its own: nobody's steps are held there. Returns by how many units the count changed. */
async function reconcile(): Promise<number | undefined> {
  const seat = world.connectionsOfActors[2];
  if (seat === undefined) throw new Error('there is no third seat');
  const { balances, redis } = seat;
  const process = new LocalProcess('reconciler');
  const tools = {
    balances,
    redis,
    process,
    options: DEFAULT_OPTIONS,
    clock: systemClock,
    warn: () => undefined,
  };
  return redisDecr.reconcile?.(BALANCE, tools);
}

/** What Redis and the database say is left. */
const left = async (): Promise<[count: number, stock: number]> => [
  Number(await world.redis.get(`stock:{${BALANCE}}`)),
  (await world.look()).amount,
];

const begin = (stock = 1): Promise<Schedule> => Schedule.begin(world, redisDecr, { stock });

/** The steps of a lone buyer, and one more: where it can be killed. */
async function stepsOfOne(): Promise<number[]> {
  const schedule = await Schedule.begin(world, redisDecr, { processes: ['p1'] });
  const { history } = await schedule.end();
  return history.events.filter(({ type }) => type === 'step').map((_, i) => i);
}

test('killed at each step, then reconciled: the last unit can be sold, and never twice', async () => {
  const changes: (number | undefined)[] = [];
  for (const steps of await stepsOfOne()) {
    const schedule = await begin();
    for (let n = 0; n < steps; n++) await schedule.A.step();
    await schedule.A.kill();
    changes.push(await reconcile());
    expect(await reconcile()).toBe(0);
    await schedule.B.finish();
    expect(await left()).toEqual([0, 0]);
    const { history } = await schedule.end(); // sets everything back
    expect([steps, history.final.movements.length]).toEqual([steps, 1]);
  }
  expect(changes.filter((units) => units === 1).length).toBeGreaterThanOrEqual(3); // it did have something to do
});

test('without the reconciler the unit is gone: the next buyer is told that all is sold', async () => {
  const schedule = await begin();
  await schedule.A.runUntil(before('UPDATE'));
  await schedule.A.kill();
  await schedule.B.finish();
  const { verdict } = await schedule.end();
  expect(verdict.violations.map(({ kind }) => kind)).toEqual(['undersold']);
});

test('two reconcilers at once give the units back once', async () => {
  const schedule = await begin(5);
  await schedule.A.runUntil(before('UPDATE'));
  await schedule.A.kill();
  const changes = await Promise.all([1, 2, 3, 4].map(reconcile));
  expect(changes.toSorted()).toEqual([0, 0, 0, 1]);
  expect(await left()).toEqual([5, 5]);
  await schedule.end();
});

describe('a buyer who lives, and whose units were given back', () => {
  const atItsWrite: [string, Breakpoint][] = [
    ['before its transaction', before('START')],
    ['before its write', before('UPDATE')],
    ['before its COMMIT', before('COMMIT')],
  ];

  test.each(atItsWrite)('%s: it buys, and the count follows', async (_, mark) => {
    const schedule = await begin();
    await schedule.A.runUntil(mark);
    expect(await reconcile()).toBe(1);
    await schedule.A.finish();
    await schedule.B.finish();
    expect(await left()).toEqual([0, 0]);
    const { history } = await schedule.end();
    expect([schedule.A.outcome, schedule.B.outcome]).toEqual(['APPLIED', 'STOCK.SOLD_OUT']);
    expect(history.final.movements).toHaveLength(1);
  });

  test('somebody else buys them first: the row refuses it, and the count agrees', async () => {
    const schedule = await begin();
    await schedule.A.runUntil(before('UPDATE'));
    expect(await reconcile()).toBe(1);
    await schedule.B.finish();
    await schedule.A.finish();
    expect(await left()).toEqual([0, 0]);
    expect([schedule.A.outcome, schedule.B.outcome]).toEqual(['STOCK.SOLD_OUT', 'APPLIED']);
    await schedule.end();
  });

  test('it is faster than the one who has taken them: the row refuses that one, and the count agrees', async () => {
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

  test('it commits while a reconciler is between settling and lowering: its units are taken once', async () => {
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

  test('it dies after its COMMIT: the next reconciliation takes them again', async () => {
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

test('a reply to the take that was lost: the units go back at once', async () => {
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

test('a reply to the COMMIT that was lost: nothing is given back, the reconciler finds the movement', async () => {
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

test('a count loaded again while a write is on its way is too high, sells nothing twice, and is lowered', async () => {
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

test('a refused write after Redis has restarted empty makes up no count', async () => {
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
