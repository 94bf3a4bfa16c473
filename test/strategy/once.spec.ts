import { ChangeCancelled, Ledger, type Change } from '#lab/balance';
import { before, Schedule, type World } from '#lab/explore';
import { SteppedRedis, systemClock } from '#lab/step';
import {
  CATALOGUE,
  DEFAULT_OPTIONS,
  findStrategy,
  LocalProcess,
  RedisPubSub,
  type CartStrategy,
  type Strategy,
  type Tools,
} from '#lab/strategy';
import { ANSWER_MS } from '../harness/limits';
import { openWorld, servers } from '../harness/servers';

let world: World;
let process: LocalProcess;
let subscriber: SteppedRedis;
beforeAll(async () => {
  subscriber = new SteppedRedis({ url: servers().redis, name: 'once-spec-subscriber', timeoutMs: ANSWER_MS });
  await subscriber.connect();
  process = new LocalProcess('p1', new RedisPubSub(subscriber));
  world = await openWorld(__filename, []);
});
afterAll(async () => {
  subscriber.disconnect();
  await world.close();
});

const BALANCE = 'item';
type ActorTools = Tools & Pick<World['connectionsOfActors'][number], 'dataSource'>;

function tools(actor = 0): ActorTools {
  const found = world.connectionsOfActors[actor];
  if (found === undefined) throw new Error(`there is no actor ${actor}`);
  return {
    ...found,
    options: { ...DEFAULT_OPTIONS, waitMs: 200 },
    clock: systemClock,
    process,
    work: () => Promise.resolve(),
    warn: () => undefined,
  };
}

const withoutKey = ({ name }: Strategy, request: string, units = 1, balance = BALANCE): Change => ({
  balance,
  delta: -units,
  request,
  replica: 'r',
  strategy: name,
});
const change = (
  strategy: Strategy,
  request: string,
  dedupKey: string,
  units = 1,
  balance = BALANCE,
): Change => ({
  ...withoutKey(strategy, request, units, balance),
  dedupKey,
});

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;
/** `APPLIED`, or the code of the error. */
const buy = (strategy: Strategy, wanted: Change): Promise<unknown> =>
  strategy.apply(wanted, tools()).then(() => 'APPLIED', codeOf);
const cancel = (...ids: [string, ...string[]]) => tools(2).balances.cancellations.cancel(ids);
const rows = async (balance = BALANCE) => {
  const ledger = new Ledger(tools().dataSource);
  return { amount: (await ledger.find(balance)).amount, movements: await ledger.movements(balance) };
};
async function begin(strategy: Strategy, stock: number): Promise<Schedule> {
  await world.redis.flushdb(); // locks that a sale of the test before has left
  return Schedule.begin(world, strategy, { stock });
}

const SELLERS = CATALOGUE.filter(({ needs }) => needs === undefined);
/**
 * These strategies keep their lock after a sale, by their own defect: the next request times out on it or is
 * refused.
 */
const LEAVES_LOCK = new Set(['setnx-catch', 'token-by-reference']);
const refusals = ({ name }: Strategy): unknown[] =>
  LEAVES_LOCK.has(name) ? ['CHANGE.CLOSED', 'LOCK.NOT_OBTAINED'] : ['CHANGE.CLOSED'];

describe.each(SELLERS)('$name', (strategy) => {
  test('applies a change with a deduplication key once', async () => {
    await begin(strategy, 5);
    expect(await buy(strategy, change(strategy, 'first', 'c'))).toBe('APPLIED');
    expect(refusals(strategy)).toContain(await buy(strategy, change(strategy, 'again', 'c')));
    const { amount, movements } = await rows();
    expect({ amount, requests: movements.map(({ request }) => request) }).toEqual({
      amount: 4,
      requests: ['first'],
    });
  });

  test('does not apply a cancelled change and sells the units to other requests', async () => {
    await begin(strategy, 1);
    expect(await cancel('c')).toBeUndefined();
    expect(await buy(strategy, change(strategy, 'late', 'c'))).toBe('CHANGE.CLOSED');
    expect(await rows()).toEqual({ amount: 1, movements: [] });
    if (LEAVES_LOCK.has(strategy.name)) await world.redis.flushdb();
    expect(await buy(strategy, change(strategy, 'other', 'd'))).toBe('APPLIED');
    expect(await rows()).toMatchObject({ amount: 0, movements: [{ request: 'other' }] });
  });
});

describe('changes without a deduplication key', () => {
  test.each(SELLERS.filter(({ name }) => !LEAVES_LOCK.has(name)))(
    '$name applies each of them',
    async (strategy) => {
      await begin(strategy, 8); // two in each of four segments
      for (let i = 0; i < 2; i++) expect(await buy(strategy, withoutKey(strategy, 'same'))).toBe('APPLIED');
      expect(await rows()).toMatchObject({
        amount: 6,
        movements: [{ request: 'same' }, { request: 'same' }],
      });
    },
  );
});

describe('cancelling', () => {
  const strategy = findStrategy('conditional-update');

  test('returns the recorded change with its values, on every call', async () => {
    await begin(strategy, 5);
    await buy(strategy, change(strategy, 'first', 'c', 2));
    const recorded = [{ balance: BALANCE, delta: -2, before: 5, after: 3, request: 'first', replica: 'r' }];
    expect([await cancel('c'), await cancel('c')]).toEqual([recorded, recorded]);
  });

  test('by several clients at once returns the same result to all of them', async () => {
    await begin(strategy, 5);
    expect(await Promise.all([cancel('c'), cancel('c'), cancel('c')])).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(await cancel('c')).toBeUndefined();
  });

  test('waits for a change in progress and then returns it', async () => {
    await begin(strategy, 5);
    let cancelled: Promise<unknown> | undefined;
    await tools(1).balances.transaction(async (tx) => {
      await tx.writeIfEnough(change(strategy, 'slow', 'c'));
      cancelled = cancel('c');
      await expect(Promise.race([cancelled, new Promise((r) => setTimeout(r, 200, 'waits'))])).resolves.toBe(
        'waits',
      );
    });
    expect(await cancelled).toMatchObject([{ request: 'slow' }]);
  });

  test('a change that its own transaction rolled back counts as not applied', async () => {
    await begin(strategy, 5);
    let cancelled: Promise<unknown> | undefined;
    const slow = tools(1).balances.transaction(async (tx) => {
      await tx.writeIfEnough(change(strategy, 'slow', 'c'));
      cancelled = cancel('c');
      await new Promise((r) => setTimeout(r, 100));
      throw new Error('the client crashes');
    });
    await expect(slow).rejects.toThrow('the client crashes');
    expect(await cancelled).toBeUndefined();
    expect(await buy(strategy, change(strategy, 'late', 'c'))).toBe('CHANGE.CLOSED');
    expect(await rows()).toEqual({ amount: 5, movements: [] });
  });

  test('undoes the write of a request whose UPDATE was issued before and whose INSERT comes after', async () => {
    await begin(strategy, 5);
    const late = tools(1).balances.transaction(async (tx) => {
      await tx.readForUpdate(BALANCE);
      await cancel('c');
      return tx.writeIfEnough(change(strategy, 'late', 'c'));
    });
    await expect(late).rejects.toBeInstanceOf(ChangeCancelled);
    expect(await rows()).toEqual({ amount: 5, movements: [] });
  });
});

describe('a sale from several segments', () => {
  const strategy = findStrategy('segmented');

  test('is recorded as one change and is not repeated from other segments', async () => {
    await begin(strategy, 8); // two in each of four
    expect(await buy(strategy, change(strategy, 'first', 'c', 3))).toBe('APPLIED');
    expect((await rows()).movements).toHaveLength(2);
    expect(await cancel('c')).toMatchObject([{ balance: BALANCE, delta: -3, request: 'first' }]);
    expect(await buy(strategy, change(strategy, 'again', 'c'))).toBe('CHANGE.CLOSED');
    expect(await rows()).toMatchObject({ amount: 5 });
  });
});

describe('a cart', () => {
  const sellers = CATALOGUE.filter((strategy): strategy is CartStrategy => strategy.applyAll !== undefined);
  const cart = (strategy: Strategy, request: string): Change[] => [
    change(strategy, request, 'c.0'),
    change(strategy, request, 'c.1', 2, 'other'),
  ];
  const buyAll = (strategy: CartStrategy, request: string): Promise<unknown> =>
    strategy.applyAll(cart(strategy, request), tools()).then(() => 'APPLIED', codeOf);

  test.each(sellers)('$name: is applied once as a whole, and recorded per line', async (strategy) => {
    await begin(strategy, 5);
    expect([await buyAll(strategy, 'first'), await buyAll(strategy, 'again')]).toEqual([
      'APPLIED',
      'CHANGE.CLOSED',
    ]);
    expect(await cancel('c.0', 'c.1')).toMatchObject([
      { balance: BALANCE, delta: -1, after: 4 },
      { balance: 'other', delta: -2, after: 3 },
    ]);
    expect([(await rows()).amount, (await rows('other')).amount]).toEqual([4, 3]);
  });

  test.each(sellers)('$name: a cancelled cart applies no line', async (strategy) => {
    await begin(strategy, 5);
    expect(await cancel('c.0', 'c.1')).toBeUndefined();
    expect(await buyAll(strategy, 'late')).toBe('CHANGE.CLOSED');
    expect([await rows(), await rows('other')]).toEqual([
      { amount: 5, movements: [] },
      { amount: 5, movements: [] },
    ]);
  });
});

describe('single-writer', () => {
  const strategy = findStrategy('single-writer');

  test('a cancelled order in the queue does not block the orders behind it', async () => {
    const schedule = await begin(strategy, 2);
    const { A, B } = schedule;
    await A.runUntil(before('take-turn')); // A's order is in the queue
    const [entry] = await world.redis.xrange(`queue:{${BALANCE}}`, '-', '+');
    const text = entry?.[1][1] ?? '';
    const order = JSON.parse(text) as { change: Change };
    const key = `queue:{${BALANCE}}`;
    await world.redis.xdel(key, entry?.[0] ?? '');
    await world.redis.xadd(
      key,
      '*',
      'order',
      JSON.stringify({ ...order, change: { ...order.change, dedupKey: 'c' } }),
    );
    await cancel('c');
    await B.finish();
    await A.finish();
    const { history } = await schedule.end();
    expect([A.outcome, B.outcome]).toEqual(['CHANGE.CLOSED', 'APPLIED']);
    const sales = history.final.movements.filter(({ delta }) => delta !== 0);
    expect(sales.map(({ request }) => request)).toEqual(['B']);
  });

  test('a reused request id gets the result of its own movement, not of the earlier one', async () => {
    await begin(strategy, 5);
    const { decisions } = tools().sqlLocks;
    const wanted = withoutKey(strategy, 'same');
    const recorded = await decisions.decide('t1', wanted, () => Promise.resolve());
    await decisions.decide('t2', wanted, () => Promise.resolve());
    expect(recorded).toEqual({ outcome: 'APPLIED', before: 5, after: 4 });
    expect(await decisions.withdraw('t1', wanted)).toEqual(recorded);
    expect(await decisions.withdraw('t2', wanted)).toMatchObject({ before: 4, after: 3 });
  });
});
