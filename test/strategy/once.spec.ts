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
import { openWorld, servers } from '../harness/servers';

let world: World;
let process: LocalProcess;
let hears: SteppedRedis;
beforeAll(async () => {
  hears = new SteppedRedis({ url: servers().redis, name: 'once-spec-hears' });
  await hears.connect();
  process = new LocalProcess('p1', new RedisPubSub(hears));
  world = await openWorld(__filename, []);
});
afterAll(async () => {
  hears.disconnect();
  await world.close();
});

const BALANCE = 'item';
type SeatTools = Tools & Pick<World['connectionsOfActors'][number], 'dataSource'>;

function tools(seat = 0): SeatTools {
  const found = world.connectionsOfActors[seat];
  if (found === undefined) throw new Error(`there is no seat ${seat}`);
  return {
    ...found,
    options: { ...DEFAULT_OPTIONS, waitMs: 200 },
    clock: systemClock,
    process,
    work: () => Promise.resolve(),
    warn: () => undefined,
  };
}

const unnamed = ({ name }: Strategy, request: string, units = 1, balance = BALANCE): Change => ({
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
  ...unnamed(strategy, request, units, balance),
  dedupKey,
});

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;
/** `APPLIED`, or the code of the error. */
const buy = (strategy: Strategy, wanted: Change): Promise<unknown> =>
  strategy.apply(wanted, tools()).then(() => 'APPLIED', codeOf);
const close = (...ids: [string, ...string[]]) => tools(2).balances.cancellations.cancel(ids);
const rows = async (balance = BALANCE) => {
  const ledger = new Ledger(tools().dataSource);
  return { amount: (await ledger.find(balance)).amount, movements: await ledger.movements(balance) };
};
async function begin(strategy: Strategy, stock: number): Promise<Schedule> {
  await world.redis.flushdb(); // locks that a sale of the test before has left
  return Schedule.begin(world, strategy, { stock });
}

const SELLERS = CATALOGUE.filter(({ needs }) => needs === undefined);
/** Their lock is still there after a sale, by their own mistake: who comes next is told that, or waits for it. */
const LEAVES_LOCK = new Set(['setnx-catch', 'token-by-reference']);
const refusals = ({ name }: Strategy): unknown[] =>
  LEAVES_LOCK.has(name) ? ['CHANGE.CLOSED', 'LOCK.NOT_OBTAINED'] : ['CHANGE.CLOSED'];

describe.each(SELLERS)('$name', (strategy) => {
  test('makes a change once, and not again', async () => {
    await begin(strategy, 5);
    expect(await buy(strategy, change(strategy, 'first', 'c'))).toBe('APPLIED');
    expect(refusals(strategy)).toContain(await buy(strategy, change(strategy, 'again', 'c')));
    const { amount, movements } = await rows();
    expect({ amount, requests: movements.map(({ request }) => request) }).toEqual({
      amount: 4,
      requests: ['first'],
    });
  });

  test('does not make a change that was given up, and sells the units to others', async () => {
    await begin(strategy, 1);
    expect(await close('c')).toBeUndefined();
    expect(await buy(strategy, change(strategy, 'late', 'c'))).toBe('CHANGE.CLOSED');
    expect(await rows()).toEqual({ amount: 1, movements: [] });
    if (LEAVES_LOCK.has(strategy.name)) await world.redis.flushdb();
    expect(await buy(strategy, change(strategy, 'other', 'd'))).toBe('APPLIED');
    expect(await rows()).toMatchObject({ amount: 0, movements: [{ request: 'other' }] });
  });
});

describe('changes that have no name', () => {
  test.each(SELLERS.filter(({ name }) => !LEAVES_LOCK.has(name)))(
    '$name makes them as often as they come',
    async (strategy) => {
      await begin(strategy, 8); // two in each of four segments
      for (let i = 0; i < 2; i++) expect(await buy(strategy, unnamed(strategy, 'same'))).toBe('APPLIED');
      expect(await rows()).toMatchObject({
        amount: 6,
        movements: [{ request: 'same' }, { request: 'same' }],
      });
    },
  );
});

describe('giving up', () => {
  const strategy = findStrategy('conditional-update');

  test('what was made is told, with its values; again and again', async () => {
    await begin(strategy, 5);
    await buy(strategy, change(strategy, 'first', 'c', 2));
    const made = [{ balance: BALANCE, delta: -2, before: 5, after: 3, request: 'first', replica: 'r' }];
    expect([await close('c'), await close('c')]).toEqual([made, made]);
  });

  test('by several at once: all are told the same', async () => {
    await begin(strategy, 5);
    expect(await Promise.all([close('c'), close('c'), close('c')])).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(await close('c')).toBeUndefined();
  });

  test('waits for a change that is being made, and then tells of it', async () => {
    await begin(strategy, 5);
    let given: Promise<unknown> | undefined;
    await tools(1).balances.transaction(async (tx) => {
      await tx.writeIfEnough(change(strategy, 'slow', 'c'));
      given = close('c');
      await expect(Promise.race([given, new Promise((r) => setTimeout(r, 200, 'waits'))])).resolves.toBe(
        'waits',
      );
    });
    expect(await given).toMatchObject([{ request: 'slow' }]);
  });

  test('a change that is taken back by its own transaction was not made', async () => {
    await begin(strategy, 5);
    let given: Promise<unknown> | undefined;
    const slow = tools(1).balances.transaction(async (tx) => {
      await tx.writeIfEnough(change(strategy, 'slow', 'c'));
      given = close('c');
      await new Promise((r) => setTimeout(r, 100));
      throw new Error('it dies');
    });
    await expect(slow).rejects.toThrow('it dies');
    expect(await given).toBeUndefined();
    expect(await buy(strategy, change(strategy, 'late', 'c'))).toBe('CHANGE.CLOSED');
    expect(await rows()).toEqual({ amount: 5, movements: [] });
  });

  test('a buyer whose UPDATE was issued before and whose INSERT comes after: its write is undone', async () => {
    await begin(strategy, 5);
    const late = tools(1).balances.transaction(async (tx) => {
      await tx.readForUpdate(BALANCE);
      await close('c');
      return tx.writeIfEnough(change(strategy, 'late', 'c'));
    });
    await expect(late).rejects.toBeInstanceOf(ChangeCancelled);
    expect(await rows()).toEqual({ amount: 5, movements: [] });
  });
});

describe('a sale out of several segments', () => {
  const strategy = findStrategy('segmented');

  test('is told as one; and is not made again out of other segments', async () => {
    await begin(strategy, 8); // two in each of four
    expect(await buy(strategy, change(strategy, 'first', 'c', 3))).toBe('APPLIED');
    expect((await rows()).movements).toHaveLength(2);
    expect(await close('c')).toMatchObject([{ balance: BALANCE, delta: -3, request: 'first' }]);
    expect(await buy(strategy, change(strategy, 'again', 'c'))).toBe('CHANGE.CLOSED');
    expect(await rows()).toMatchObject({ amount: 5 });
  });
});

describe('a cart', () => {
  const sellers = CATALOGUE.filter((one): one is CartStrategy => one.applyAll !== undefined);
  const cart = (strategy: Strategy, request: string): Change[] => [
    change(strategy, request, 'c.0'),
    change(strategy, request, 'c.1', 2, 'other'),
  ];
  const buyAll = (strategy: CartStrategy, request: string): Promise<unknown> =>
    strategy.applyAll(cart(strategy, request), tools()).then(() => 'APPLIED', codeOf);

  test.each(sellers)('$name: is made once, all of it, and told by line', async (strategy) => {
    await begin(strategy, 5);
    expect([await buyAll(strategy, 'first'), await buyAll(strategy, 'again')]).toEqual([
      'APPLIED',
      'CHANGE.CLOSED',
    ]);
    expect(await close('c.0', 'c.1')).toMatchObject([
      { balance: BALANCE, delta: -1, after: 4 },
      { balance: 'other', delta: -2, after: 3 },
    ]);
    expect([(await rows()).amount, (await rows('other')).amount]).toEqual([4, 3]);
  });

  test.each(sellers)('$name: given up, nothing of it is made', async (strategy) => {
    await begin(strategy, 5);
    expect(await close('c.0', 'c.1')).toBeUndefined();
    expect(await buyAll(strategy, 'late')).toBe('CHANGE.CLOSED');
    expect([await rows(), await rows('other')]).toEqual([
      { amount: 5, movements: [] },
      { amount: 5, movements: [] },
    ]);
  });
});

describe('single-writer', () => {
  const strategy = findStrategy('single-writer');

  test('an order in the queue that was given up does not keep those behind it from being served', async () => {
    const schedule = await begin(strategy, 2);
    const { A, B } = schedule;
    await A.runUntil(before('take-turn')); // in the queue
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
    await close('c');
    await B.finish();
    await A.finish();
    const { history } = await schedule.end();
    expect([A.outcome, B.outcome]).toEqual(['CHANGE.CLOSED', 'APPLIED']);
    const sales = history.final.movements.filter(({ delta }) => delta !== 0);
    expect(sales.map(({ request }) => request)).toEqual(['B']);
  });

  test('a request id that was used before is told of its own movement, not of the other one', async () => {
    await begin(strategy, 5);
    const { balances } = tools();
    const wanted = unnamed(strategy, 'same');
    const made = await balances.decisions.decide('t1', wanted, () => Promise.resolve());
    await balances.decisions.decide('t2', wanted, () => Promise.resolve());
    expect(made).toEqual({ outcome: 'APPLIED', before: 5, after: 4 });
    expect(await balances.decisions.withdraw('t1', wanted)).toEqual(made);
    expect(await balances.decisions.withdraw('t2', wanted)).toMatchObject({ before: 4, after: 3 });
  });
});
