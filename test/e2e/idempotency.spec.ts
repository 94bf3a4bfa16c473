import { randomUUID } from 'node:crypto';
import { eventually, expectProblem, openShop, type Asked, type Reply } from './support';

const shop = openShop('idempotency');

/** Sends an order under the key. */
const buy = (key: string, { headers, ...asked }: Asked): Promise<Reply> =>
  shop().order({ ...asked, headers: { 'idempotency-key': key, ...headers } });
const isReplayed = ({ headers }: Reply): boolean => headers['idempotency-replayed'] === 'true';
/** Sends it again until somebody knows what the first one came to. */
async function buyAgain(key: string, asked: Asked): Promise<Reply> {
  let reply: Reply | undefined;
  await eventually('the order is known', async () => {
    reply = await buy(key, asked);
    return reply.json['code'] !== 'IDEMPOTENCY.IN_PROGRESS';
  });
  if (reply === undefined) throw new Error('nobody has answered');
  return reply;
}
const reconcile = async (): Promise<unknown> =>
  (await shop().post(`${shop().url('lab')}/lab/order/reconcile`, { body: {} })).json['reconciled'];
/** Units that are missing from the stock, and how many movements and orders there are. */
const counts = async (sku: string, stock: number) => ({
  gone: stock - Number(await shop().stock(sku)),
  movements: (await shop().movements(sku)).length,
  orders: (await shop().orders(sku)).length,
});
const ONCE = { gone: 1, movements: 1, orders: 1 };
const NEVER = { gone: 0, movements: 0, orders: 0 };

describe('the same key', () => {
  test('and the same order: the same answer, marked, and one purchase', async () => {
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

  test('in quotes, as the draft wants it, or without: one key', async () => {
    const sku = await shop().product(5);
    const key = randomUUID();
    const first = await buy(`"${key}"`, { sku });
    expect((await buy(key, { sku })).json).toEqual(first.json);
    expect(await counts(sku, 5)).toEqual(ONCE);
  });

  test('options by header or by query are the same choice', async () => {
    const sku = await shop().product(5);
    const key = randomUUID();
    await buy(key, { sku, query: 'strategy=token-lua&leaseMs=900' });
    const again = await buy(key, { sku, headers: { 'x-strategy': 'token-lua', 'x-lease-ms': '900' } });
    expect([again.status, isReplayed(again)]).toEqual([201, true]);
    expect(await counts(sku, 5)).toEqual(ONCE);
  });

  test('a cart is told again as a cart', async () => {
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

  const other: Record<string, (sku: string) => Asked> = {
    quantity: (sku) => ({ body: { sku, quantity: 2, buyer: 'ann' } }),
    buyer: (sku) => ({ body: { sku, quantity: 1, buyer: 'bob' } }),
    'shape of the body': (sku) => ({ body: { lines: [{ sku, quantity: 1 }], buyer: 'ann' } }),
    strategy: (sku) => ({ sku, query: 'strategy=for-update' }),
    options: (sku) => ({ sku, query: 'workMs=1' }),
  };
  test.each(Object.entries(other))('and another %s: 422, and nothing is bought', async (_, asked) => {
    const sku = await shop().product(5);
    const key = randomUUID();
    const first = await buy(key, { sku });
    expectProblem(await buy(key, asked(sku)), 422, 'IDEMPOTENCY.REUSED');
    expect(await counts(sku, 5)).toEqual(ONCE);
    expect((await buy(key, { sku })).json).toEqual(first.json);
  });

  test('while the first is under way: 409 with Retry-After; then its answer', async () => {
    const sku = await shop().product(5);
    const key = randomUUID();
    const query = 'strategy=for-update&workMs=1500';
    const first = buy(key, { sku, query });
    await eventually('it is under way', async () => (await shop().history(sku)).length > 2);
    const second = await buy(key, { sku, query });
    expectProblem(second, 409, 'IDEMPOTENCY.IN_PROGRESS');
    expect(Number(second.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect((await first).status).toBe(201);
    expect((await buy(key, { sku, query })).json).toEqual((await first).json);
    expect(await counts(sku, 5)).toEqual(ONCE);
  });

  test('of one that waits longer than a silent owner may: it is not given up', async () => {
    const sku = await shop().product(5);
    const key = randomUUID();
    const query = 'strategy=token-lua&workMs=5000&leaseMs=20000';
    const first = buy(key, { sku, query });
    await eventually('it is under way', async () => (await shop().history(sku)).length > 2);
    await new Promise((resolve) => setTimeout(resolve, 4000)); // the owner has to be seen to be alive for so long
    expectProblem(await buy(key, { sku, query }), 409, 'IDEMPOTENCY.IN_PROGRESS');
    expect((await first).status).toBe(201);
    expect(await counts(sku, 5)).toEqual(ONCE);
  });

  test('ten at once: one purchase', async () => {
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

describe('what stands under a key', () => {
  test('"sold out" is the last word, also when there is stock again', async () => {
    const sku = await shop().product(1);
    const key = randomUUID();
    await shop().order({ sku });
    const first = await buy(key, { sku });
    expectProblem(first, 409, 'STOCK.SOLD_OUT');
    const again = await buy(key, { sku });
    expectProblem(again, 409, 'STOCK.SOLD_OUT');
    expect([isReplayed(first), isReplayed(again), again.json]).toEqual([false, true, first.json]);
  });

  test('a lock that was not obtained is not: the next one buys', async () => {
    const sku = await shop().product(5);
    const key = randomUUID();
    const query = 'strategy=setnx&waitMs=20';
    await shop().order({ sku, query, fault: 'before(DEL)=error' }); // the lock stays
    expectProblem(await buy(key, { sku, query }), 423, 'LOCK.NOT_OBTAINED');
    const reset = { sku, stock: 5 };
    await shop().post(`${shop().url('lab')}/lab/inventory/reset`, { body: reset }); // the lock is gone, the key is not
    const again = await buy(key, { sku, query });
    expect([again.status, isReplayed(again)]).toEqual([201, false]);
    expect(await shop().stock(sku)).toBe(4);
  });

  test('an order that could not be sent to the inventory is not: the next one buys', async () => {
    const sku = await shop().product(5);
    const key = randomUUID();
    expectProblem(await buy(key, { sku, fault: 'order:before(POST)=error' }), 503, 'DEPENDENCY.DOWN');
    expect((await buyAgain(key, { sku })).status).toBe(201);
    expect(await counts(sku, 5)).toEqual(ONCE);
  });
});

test.each(['', '""', 'a b', '"a b"', 'a,b', '"open', 'k'.repeat(129), '"é"', '"a";q=1'])(
  'a key that is none, %p: 400, and nothing happens',
  async (key) => {
    const sku = await shop().product(5);
    expectProblem(await buy(Buffer.from(key).toString('latin1'), { sku }), 400, 'IDEMPOTENCY.INVALID');
    expect(await counts(sku, 5)).toEqual(NEVER);
  },
);

test('without a key the same request id buys twice, as ever', async () => {
  const sku = await shop().product(5);
  const headers = { 'x-request-id': 'the-same' };
  for (let i = 0; i < 2; i++) expect((await shop().order({ sku, headers })).status).toBe(201);
  expect(await counts(sku, 5)).toEqual({ gone: 2, movements: 2, orders: 2 });
});

describe('a reply that was lost', () => {
  const QUERY = 'strategy=conditional-update';
  test.each([
    ['of the inventory, which had deducted', 'order:after(POST)=lose-reply', 502, true],
    ['of the COMMIT in the inventory', 'after(COMMIT)=lose-reply', 502, true],
    ['of the COMMIT of the order', 'order:after(COMMIT)=lose-reply', 502, true],
    ['of the intent', 'order:after(INSERT)=lose-reply', 503, false],
  ])('%s: who asks again has bought once', async (_, fault, status, isBought) => {
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

  test("of the movement's COMMIT, with redis-decr and its count: once, and the rest is sold to the last", async () => {
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

describe('a replica that dies', () => {
  const CRASHES: [string, string, boolean][] = [
    ['the order app, before it asks', 'order:before(POST)=kill', false],
    ['the inventory, before its COMMIT', 'before(COMMIT)=kill', false],
    ['the inventory, after its COMMIT', 'after(COMMIT)=kill', true],
    ['the order app, before the order is recorded', 'order:before(INSERT#2)=kill', true],
    ['the order app, before its COMMIT', 'order:before(COMMIT)=kill', true],
    ['the order app, after its COMMIT', 'order:after(COMMIT)=kill', true],
  ];

  const isRecorded = (fault: string): boolean => fault === 'order:after(COMMIT)=kill';

  test.each(CRASHES)('%s: who asks again has bought once', async (_, fault, isBought) => {
    const sku = await shop().product(5);
    const key = randomUUID();
    expectProblem(await buy(key, { sku, fault }), 502, 'OUTCOME_UNKNOWN');
    await shop().stack.ready();
    const again = await buyAgain(key, { sku });
    expect([again.status, isReplayed(again)]).toEqual([201, isBought]);
    expect(await counts(sku, 5)).toEqual(ONCE);
    expect(await reconcile()).toEqual([]);
  });

  test.each(CRASHES)('%s, and nobody asks again: reconciled, all or nothing', async (_, fault, isBought) => {
    const sku = await shop().product(5);
    expectProblem(await shop().order({ sku, fault }), 502, 'OUTCOME_UNKNOWN');
    await shop().stack.ready();
    expect(await counts(sku, 5)).toEqual({ ...(isBought ? ONCE : NEVER), orders: isRecorded(fault) ? 1 : 0 });
    const done = await reconcile();
    expect(done).toEqual(
      isRecorded(fault) ? [] : [expect.objectContaining({ outcome: isBought ? 'completed' : 'given-up' })],
    );
    expect(await counts(sku, 5)).toEqual(isBought ? ONCE : NEVER);
    expect(await reconcile()).toEqual([]);
    expect(await counts(sku, 5)).toEqual(isBought ? ONCE : NEVER);
  });
});

describe('the reconciler', () => {
  test('gives up an order whose replica only stands still: when that goes on, it can buy no more', async () => {
    const sku = await shop().product(5);
    const order = shop().order({ sku, fault: 'before(START)=pause(2500)' });
    await eventually('it stands still', async () =>
      (await shop().history(sku)).some(({ type }) => type === 'stopped'),
    );
    expect(await reconcile()).toMatchObject([{ outcome: 'given-up' }]);
    expectProblem(await order, 409, 'CHANGE.CLOSED');
    expect(await counts(sku, 5)).toEqual(NEVER);
  });

  test('does not decide on an order whose transaction is open, and its buyer is told that it has bought', async () => {
    const sku = await shop().product(5);
    const order = shop().order({ sku, fault: 'before(COMMIT)=pause(4000)' });
    await eventually('it stands still', async () =>
      (await shop().history(sku)).some(({ type }) => type === 'stopped'),
    );
    expect(await reconcile()).toMatchObject([{ outcome: 'undecided' }]);
    expect((await order).status).toBe(201);
    expect(await counts(sku, 5)).toEqual(ONCE);
    expect(await reconcile()).toEqual([]);
  });

  test('of several at once one works at a time, and each order is completed once', async () => {
    const sku = await shop().product(20);
    for (let i = 0; i < 3; i++) {
      await shop().order({ sku, fault: 'order:before(INSERT#2)=error' });
    }
    const rounds = (await Promise.all([reconcile(), reconcile(), reconcile()])) as unknown[][];
    expect(rounds.map(({ length }) => length).sort()).toEqual([0, 0, 3]);
    expect(await counts(sku, 20)).toEqual({ gone: 3, movements: 3, orders: 3 });
  });

  test.each(['before(COMMIT)', 'after(COMMIT)', 'after(POST)', 'before(RELEASE_LOCK)'])(
    'dies %s: the next one completes the order, once',
    async (when) => {
      const sku = await shop().product(5);
      await shop().order({ sku, fault: 'order:before(INSERT#2)=error' });
      const dying = await shop().post(`${shop().url('lab')}/lab/order/reconcile`, {
        body: {},
        headers: { 'x-fault': `order:${when.replace('RELEASE_LOCK', 'DO')}=kill` },
      });
      expectProblem(dying, 502, 'OUTCOME_UNKNOWN');
      await shop().stack.ready();
      await reconcile();
      expect(await counts(sku, 5)).toEqual(ONCE);
      expect(await reconcile()).toEqual([]);
    },
  );

  test('completes a cart, all of it; and one that has taken from several segments', async () => {
    const [sku, other] = [await shop().product(8), await shop().product(8)];
    const lines = [sku, other].map((one) => ({ sku: one, quantity: 3 }));
    const fault = 'order:before(INSERT#2)=error';
    await shop().order({ body: { lines, buyer: 'ann' }, fault });
    const split = await shop().product(8);
    const body = { sku: split, quantity: 3, buyer: 'ann' };
    await shop().order({ body, query: 'strategy=segmented', fault });
    expect(await reconcile()).toMatchObject([{ outcome: 'completed' }, { outcome: 'completed' }]);
    for (const [one, stockAfter] of [
      [sku, 5],
      [other, 5],
      [split, 1], // of the two segments that it was taken from
    ] as const)
      expect(await shop().orders(one)).toMatchObject([{ quantity: 3, stockAfter }]);
    expect((await shop().movements(split)).length).toBeGreaterThan(1);
    expect((await shop().orders(sku))[0]?.['id']).toBe((await shop().orders(other))[0]?.['id']);
  });

  test('gives an order up whose units were taken from a count in Redis: they go back', async () => {
    const sku = await shop().product(2);
    const query = 'strategy=redis-decr';
    await shop().order({ sku, query, fault: 'before(UPDATE)=kill' });
    await shop().stack.ready();
    expect(await reconcile()).toMatchObject([{ outcome: 'given-up' }]);
    for (let i = 0; i < 2; i++) expect((await shop().order({ sku, query })).status).toBe(201);
    expect(await counts(sku, 2)).toEqual({ gone: 2, movements: 2, orders: 2 });
  });
});
