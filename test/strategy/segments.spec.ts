import { Ledger, type Movement } from '#lab/balance';
import { after, before, Schedule, type World } from '#lab/explore';
import { systemClock } from '#lab/step';
import { DEFAULT_OPTIONS, findStrategy, LocalProcess, type Strategy, type Tools } from '#lab/strategy';
import { checkChain } from '#lab/verdict';
import { createHash } from 'node:crypto';
import { LONGER_THAN_A_TEST } from '../harness/limits';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

const BALANCE = 'item';
const [segmented, inRedis] = ['segmented', 'segmented-redis'].map(findStrategy) as [Strategy, Strategy];
const beforeWrite = before('UPDATE balance');

const begin = (strategy: Strategy, stock: number, processes = ['p1', 'p2', 'p3']): Promise<Schedule> =>
  Schedule.begin(world, strategy, { stock, processes });

/** Tools of the third actor, whose steps are not held. */
function tools(i = 2): Tools & Pick<World['connectionsOfActors'][number], 'dataSource'> {
  const connections = world.connectionsOfActors[i];
  if (connections === undefined) throw new Error(`there is no actor ${i}`);
  return {
    ...connections,
    options: { ...DEFAULT_OPTIONS, ...LONGER_THAN_A_TEST },
    clock: systemClock,
    process: new LocalProcess(`p${i}`),
    work: () => Promise.resolve(),
    warn: () => undefined,
  };
}

const ledger = (): Ledger => new Ledger(tools().dataSource);

function buy(strategy: Strategy, units: number, request: string, actor = 2): Promise<Movement> {
  const change = { balance: BALANCE, delta: -units, request, replica: 'r', strategy: strategy.name };
  return strategy.apply(change, tools(actor));
}

describe.each([segmented, inRedis])('$name', (strategy) => {
  test('a busy segment is skipped; a buyer that needs it waits for it instead of answering sold out', async () => {
    const schedule = await begin(strategy, 2);
    const { A, B, C } = schedule;
    await A.runUntil(after('SET'));
    await B.finish();
    expect(B.outcome).toBe('APPLIED');
    await C.finish();
    expect([C.outcome, C.next?.verb]).toEqual([undefined, 'WAIT']);
    await A.kill();
    const { history } = await schedule.end();
    expect(C.outcome).toBe('APPLIED');
    expect(history.final).toMatchObject({ amount: 0, locks: [] });
    expect(history.final.movements).toHaveLength(2);
  });

  test('an order larger than any segment is taken from several, down to the last unit', async () => {
    const schedule = await begin(strategy, 11, ['p1']); // 3, 3, 3, 2
    expect(await buy(strategy, 5, 'r1')).toMatchObject({ delta: -5 });
    expect(await buy(strategy, 6, 'r2')).toMatchObject({ delta: -6 });
    await expect(buy(strategy, 1, 'r3')).rejects.toMatchObject({ code: 'STOCK.SOLD_OUT', left: 0 });
    expect((await world.look()).amount).toBe(0);
    await schedule.A.kill();
    await schedule.end();
  });

  test('concurrent buyers of several quantities sell everything, and each segment has one chain of sales', async () => {
    const schedule = await begin(strategy, 97, ['p1']);
    const quantities = [7, 5, 3, 2, 1, 1];
    const shop = async (actor: number): Promise<void> => {
      for (const units of quantities)
        for (let n = 0; await isSold(strategy, units, `${actor}-${units}-${n}`, actor); n++);
    };
    await Promise.all([0, 1, 2].map(shop));
    const { amount, movements } = await world.look();
    expect([amount, movements.reduce((sum, { delta }) => sum - delta, 0)]).toEqual([0, 97]);
    const segments = await ledger().segments(BALANCE);
    const rows = segments.length > 0 ? segments : [{ segment: null, initial: 97, amount: 0 }];
    for (const { segment, initial, amount: last } of rows) {
      const sales = movements.filter((movement) => movement.segment === segment);
      expect(checkChain(initial, last, sales.map(atAnyTime))).toBeUndefined();
    }
    await schedule.A.kill();
    await schedule.end();
  });
});

/** False when the product is sold out. */
const isSold = (strategy: Strategy, units: number, request: string, actor: number): Promise<boolean> =>
  buy(strategy, units, request, actor).then(
    () => true,
    (error: unknown) => {
      if ((error as { code?: unknown }).code === 'STOCK.SOLD_OUT') return false;
      throw error;
    },
  );

const atAnyTime = ({
  request,
  before: from,
  after: to,
}: {
  request: string;
  before: number;
  after: number;
}) => ({
  request,
  before: from,
  after: to,
  asked: -Infinity,
  answered: Infinity,
});

test('a split stock is reported as a whole and refused to strategies that sell from its row', async () => {
  const schedule = await begin(segmented, 10, ['p1']);
  await buy(segmented, 3, 'r1');
  expect(await ledger().find(BALANCE)).toMatchObject({ amount: 7, initial: 10 });
  for (const name of ['none', 'for-update', 'optimistic', 'conditional-update', 'redis-decr'])
    await expect(buy(findStrategy(name), 1, name)).rejects.toMatchObject({ code: 'STOCK.SPLIT' });
  await ledger().reset(BALANCE, 10);
  expect(await buy(findStrategy('none'), 1, 'again')).toMatchObject({ before: 10, after: 9 });
  await schedule.A.kill();
  await schedule.end();
});

test.each(['none', 'optimistic', 'fenced', 'fenced-write', 'for-update', 'conditional-update'])(
  '%s: a stock split after the read is not overwritten',
  async (name) => {
    const schedule = await begin(findStrategy(name), 10, ['p1']);
    await schedule.A.runUntil(before(name === 'for-update' ? 'SELECT' : 'UPDATE balance SET amount'));
    await buy(segmented, 1, 'r1');
    await schedule.A.finish();
    expect(['STOCK.SPLIT', 'LOCK.FENCED']).toContain(schedule.A.outcome);
    expect(await ledger().find(BALANCE)).toMatchObject({ amount: 9 });
    await schedule.end();
  },
);

describe('segmented-redis: preheating and reconciliation', () => {
  const sumOfCounts = async (): Promise<number> => {
    const counts = await world.redis.mget([0, 1, 2, 3].map((n) => `stock:{${BALANCE}}:${n}`));
    return counts.reduce((sum, count) => sum + Number(count), 0);
  };
  const reconcile = (): Promise<number> => inRedis.reconcile?.(BALANCE, tools()) ?? Promise.resolve(NaN);

  test('the counts and the sales add up to the initial stock', async () => {
    const schedule = await begin(inRedis, 10);
    expect(await sumOfCounts()).toBe(10);
    for (const buyer of [schedule.A, schedule.B, schedule.C]) await buyer.finish();
    expect([await sumOfCounts(), (await world.look()).amount]).toEqual([7, 7]);
    expect(await reconcile()).toBe(0);
    await schedule.end();
  });

  test('a kill between the count and the row strands units, and reconciliation returns them once', async () => {
    const schedule = await begin(inRedis, 10);
    await schedule.A.runUntil(beforeWrite);
    await schedule.A.kill();
    expect([await sumOfCounts(), (await world.look()).amount]).toEqual([9, 10]);
    await schedule.lapse(); // the lock of the dead holder
    const changes = await Promise.all([reconcile(), reconcile(), reconcile()]);
    expect(changes.toSorted()).toEqual([0, 0, 1]);
    expect([await sumOfCounts(), (await world.look()).amount]).toEqual([10, 10]);
    await schedule.end();
  });

  test('a lost reply to the count returns its units at once', async () => {
    const schedule = await begin(inRedis, 1, ['p1', 'p2']);
    const { A, B } = schedule;
    await A.runUntil(before('change-count'));
    await A.stepWith('lose-reply');
    await A.finish();
    expect(A.outcome).toBe('DEPENDENCY.DOWN');
    expect([await sumOfCounts(), (await world.look()).amount]).toEqual([1, 1]);
    await B.finish();
    expect(B.outcome).toBe('APPLIED');
    await schedule.end();
  });

  test('without reconciliation the last buyer receives a sold-out answer', async () => {
    const schedule = await begin(inRedis, 1, ['p1', 'p2']);
    await schedule.A.runUntil(beforeWrite);
    await schedule.A.kill();
    await schedule.B.finish();
    const { verdict } = await schedule.end();
    expect(verdict.violations.map(({ kind }) => kind)).toEqual(['undersold']);
  });

  test('counts lost with Redis are reloaded and oversell nothing', async () => {
    const schedule = await begin(inRedis, 1, ['p1', 'p2']);
    await schedule.A.runUntil(beforeWrite);
    await schedule.flush();
    await schedule.B.finish();
    await schedule.A.finish();
    expect([schedule.A.outcome, schedule.B.outcome]).toEqual(['STOCK.SOLD_OUT', 'APPLIED']);
    expect((await world.look()).movements).toHaveLength(1);
    await schedule.end();
  });

  /** The id of a request that tries this segment first. */
  const requestFor = (segment: number): string => {
    const firstOf = (id: string): number => createHash('sha1').update(id).digest().readUInt32BE() % 4;
    return Array.from({ length: 100 }, (_, n) => `r${n}`).find((id) => firstOf(id) === segment) ?? 'none';
  };

  test('a count that is loaded again after a buyer has read it loses only the units of that buyer', async () => {
    const schedule = await begin(inRedis, 12, ['p1']); // 3, 3, 3, 3
    const { A } = schedule;
    await A.runUntil(before('SET'));
    const segment = Number(/^SET lock:\S*:(\d)/.exec(A.next?.text ?? '')?.[1]);
    await buy(inRedis, 2, requestFor(segment));
    await A.runUntil(after('SET'));
    await A.runUntil(after('MGET')); // 1
    await schedule.flush();
    await buy(inRedis, 1, requestFor((segment + 1) % 4)); // loads 3, 3, 2, 2
    await A.finish();
    expect([A.outcome, await sumOfCounts(), (await world.look()).amount]).toEqual(['APPLIED', 8, 8]);
    for (let n = 0; n < 8; n++) await buy(inRedis, 1, `last-${n}`);
    expect([await sumOfCounts(), (await world.look()).amount]).toEqual([0, 0]);
    await schedule.end();
  });
});
