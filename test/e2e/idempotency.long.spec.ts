import { randomUUID } from 'node:crypto';
import { NEVER, ONCE, keyedOrders } from './idempotency';
import { eventually, expectProblem, openShop, type OrderInput } from './support';

const shop = openShop('idempotency');
const { buy, buyAgain, counts, isReplayed } = keyedOrders(shop);

describe('the same key', () => {
  test('with the same order returns the same answer, marked as replayed, and buys once', async () => {
    const sku = await shop().product(5);
    const key = randomUUID();
    const first = await buy(key, { sku });
    const again = await buy(key, { sku });
    expect([first.status, isReplayed(first), again.status, isReplayed(again)]).toEqual([
      201,
      false,
      201,
      true,
    ]);
    expect(again.json).toEqual(first.json);
    expect(await counts(sku, 5)).toEqual(ONCE);
  });

  test('in quotes, as the draft requires, or without, is the same key', async () => {
    const sku = await shop().product(5);
    const key = randomUUID();
    const first = await buy(`"${key}"`, { sku });
    expect((await buy(key, { sku })).json).toEqual(first.json);
    expect(await counts(sku, 5)).toEqual(ONCE);
  });

  test('treats options by header or by query as the same request', async () => {
    const sku = await shop().product(5);
    const key = randomUUID();
    await buy(key, { sku, query: 'strategy=token-lua&leaseMs=900' });
    const again = await buy(key, { sku, headers: { 'x-strategy': 'token-lua', 'x-lease-ms': '900' } });
    expect([again.status, isReplayed(again)]).toEqual([201, true]);
    expect(await counts(sku, 5)).toEqual(ONCE);
  });

  test('returns a cart again as a cart', async () => {
    const [sku, other] = [await shop().product(5), await shop().product(5)];
    const body = {
      lines: [
        { sku, quantity: 1 },
        { sku: other, quantity: 2 },
      ],
      buyer: 'ann',
    };
    const key = randomUUID();
    const first = await buy(key, { body });
    expect(first.status).toBe(201);
    expect((await buy(key, { body })).json).toEqual(first.json);
    expect([await counts(sku, 5), (await shop().movements(other)).length]).toEqual([ONCE, 1]);
  });

  const changes: Record<string, (sku: string) => OrderInput> = {
    quantity: (sku) => ({ body: { sku, quantity: 2, buyer: 'ann' } }),
    buyer: (sku) => ({ body: { sku, quantity: 1, buyer: 'bob' } }),
    'shape of the body': (sku) => ({ body: { lines: [{ sku, quantity: 1 }], buyer: 'ann' } }),
    strategy: (sku) => ({ sku, query: 'strategy=for-update' }),
    options: (sku) => ({ sku, query: 'workMs=1' }),
  };
  test.each(Object.entries(changes))('with another %s: 422, and nothing is bought', async (_, asked) => {
    const sku = await shop().product(5);
    const key = randomUUID();
    const first = await buy(key, { sku });
    expectProblem(await buy(key, asked(sku)), 422, 'IDEMPOTENCY.REUSED');
    expect(await counts(sku, 5)).toEqual(ONCE);
    expect((await buy(key, { sku })).json).toEqual(first.json);
  });

  /** An order that waits for its lock until the test releases it. */
  const QUERY = 'strategy=setnx&waitMs=30000';
  const lockOf = (sku: string): string => `lock:{${sku}}:setnx`;

  test('while the first request is in progress: 409 with Retry-After; then its answer', async () => {
    const sku = await shop().product(5);
    const key = randomUUID();
    await shop().acquireLock(lockOf(sku));
    const first = buy(key, { sku, query: QUERY });
    await eventually('the order is in progress', async () => (await shop().history(sku)).length > 2);
    const second = await buy(key, { sku, query: QUERY });
    expectProblem(second, 409, 'IDEMPOTENCY.IN_PROGRESS');
    expect(Number(second.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    await shop().releaseLock(lockOf(sku));
    expect((await first).status).toBe(201);
    expect((await buy(key, { sku, query: QUERY })).json).toEqual((await first).json);
    expect(await counts(sku, 5)).toEqual(ONCE);
  });

  test("of an order that takes longer than the reconciler's silence limit: the order is not cancelled", async () => {
    const sku = await shop().product(5);
    const key = randomUUID();
    await shop().acquireLock(lockOf(sku));
    const first = buy(key, { sku, query: QUERY });
    await eventually('the order is in progress', async () => (await shop().history(sku)).length > 2);
    await new Promise((resolve) => setTimeout(resolve, 4000)); // longer than the silence limit: the heartbeat of the owner has to keep the order
    expectProblem(await buy(key, { sku, query: QUERY }), 409, 'IDEMPOTENCY.IN_PROGRESS');
    await shop().releaseLock(lockOf(sku));
    expect((await first).status).toBe(201);
    expect(await counts(sku, 5)).toEqual(ONCE);
  });

  test('sent ten times concurrently buys once', async () => {
    const sku = await shop().product(20);
    const key = randomUUID();
    const replies = await Promise.all(Array.from({ length: 10 }, () => buy(key, { sku })));
    const bought = replies.filter(({ status }) => status === 201);
    expect(bought.filter((reply) => !isReplayed(reply))).toHaveLength(1);
    expect(new Set(bought.map(({ json }) => json['id'])).size).toBe(1);
    const others = replies.filter(({ status }) => status !== 201).map(({ json }) => json['code']);
    expect(others.every((code) => code === 'IDEMPOTENCY.IN_PROGRESS')).toBe(true);
    expect(await counts(sku, 20)).toEqual(ONCE);
  });
});

describe('the answer recorded under a key', () => {
  test('"sold out" is final, even after the stock is refilled', async () => {
    const sku = await shop().product(1);
    const key = randomUUID();
    await shop().order({ sku });
    const first = await buy(key, { sku });
    expectProblem(first, 409, 'STOCK.SOLD_OUT');
    const again = await buy(key, { sku });
    expectProblem(again, 409, 'STOCK.SOLD_OUT');
    expect([isReplayed(first), isReplayed(again), again.json]).toEqual([false, true, first.json]);
  });

  test('a lock that was not obtained is not recorded: a retry buys', async () => {
    const sku = await shop().product(5);
    const key = randomUUID();
    const query = 'strategy=setnx&waitMs=20';
    await shop().order({ sku, query, fault: 'before(DEL)=error' }); // the lock stays
    expectProblem(await buy(key, { sku, query }), 423, 'LOCK.NOT_OBTAINED');
    const reset = { sku, stock: 5 };
    await shop().post(`${shop().url('lab')}/lab/inventory/reset`, { body: reset }); // deletes the lock, not the key
    const again = await buy(key, { sku, query });
    expect([again.status, isReplayed(again)]).toEqual([201, false]);
    expect(await shop().stock(sku)).toBe(4);
  });

  test('an order that could not be sent to the inventory is not recorded: a retry buys', async () => {
    const sku = await shop().product(5);
    const key = randomUUID();
    expectProblem(await buy(key, { sku, fault: 'order:before(POST)=error' }), 503, 'DEPENDENCY.DOWN');
    expect((await buyAgain(key, { sku })).status).toBe(201);
    expect(await counts(sku, 5)).toEqual(ONCE);
  });
});

test.each(['', '""', 'a b', '"a b"', 'a,b', '"open', 'k'.repeat(129), '"é"', '"a";q=1'])(
  'an invalid key, %p: 400, and nothing is bought',
  async (key) => {
    const sku = await shop().product(5);
    expectProblem(await buy(Buffer.from(key).toString('latin1'), { sku }), 400, 'IDEMPOTENCY.INVALID');
    expect(await counts(sku, 5)).toEqual(NEVER);
  },
);

test('without a key the same request id buys twice', async () => {
  const sku = await shop().product(5);
  const headers = { 'x-request-id': 'the-same' };
  for (let i = 0; i < 2; i++) expect((await shop().order({ sku, headers })).status).toBe(201);
  expect(await counts(sku, 5)).toEqual({ gone: 2, movements: 2, orders: 2 });
});

describe('a lost reply', () => {
  const QUERY = 'strategy=conditional-update';
  test.each([
    ['of the inventory, which had deducted', 'order:after(POST)=lose-reply', 502, true],
    ['of the COMMIT in the inventory', 'after(COMMIT)=lose-reply', 502, true],
    ['of the COMMIT of the order', 'order:after(COMMIT)=lose-reply', 201, true],
    ['of the intent', 'order:after(INSERT)=lose-reply', 503, false],
  ])('%s: a retry finds one purchase', async (_, fault, status, isBought) => {
    const sku = await shop().product(5);
    const key = randomUUID();
    expect((await buy(key, { sku, query: QUERY, fault })).status).toBe(status);
    const again = await buyAgain(key, { sku, query: QUERY });
    expect([again.status, isReplayed(again)]).toEqual([201, isBought]);
    expect(await counts(sku, 5)).toEqual(ONCE);
    const third = await buy(key, { sku, query: QUERY });
    expect([third.json, isReplayed(third)]).toEqual([again.json, true]);
    expect(await counts(sku, 5)).toEqual(ONCE);
  });

  test("of the movement's COMMIT, with redis-decr and its count: one purchase, and the rest sells to the last unit", async () => {
    const sku = await shop().product(3);
    const query = 'strategy=redis-decr';
    const key = randomUUID();
    expect((await buy(key, { sku, query, fault: 'after(COMMIT)=lose-reply' })).status).toBe(502);
    expect((await buyAgain(key, { sku, query })).status).toBe(201);
    for (let i = 0; i < 2; i++) expect((await shop().order({ sku, query })).status).toBe(201);
    expectProblem(await shop().order({ sku, query }), 409, 'STOCK.SOLD_OUT');
    expect(await counts(sku, 3)).toEqual({ gone: 3, movements: 3, orders: 3 });
  });
});
