import { randomUUID } from 'node:crypto';
import { eventually, expectProblem, openShop, UNRECORDED } from './support';
import { NEVER, ONCE, keyedOrders } from './idempotency';

const shop = openShop('idempotency-after-a-crash');
const { buy, buyAgain, counts, isReplayed } = keyedOrders(shop);

const reconcile = async (): Promise<unknown> =>
  (await shop().post(`${shop().url('lab')}/lab/order/reconcile`, { body: {} })).json['reconciled'];

describe('a crashed replica', () => {
  const CRASHES: [string, string, boolean][] = [
    ['the order app, before it sends the deduction', 'order:before(POST)=kill', false],
    ['the inventory, before its COMMIT', 'before(COMMIT)=kill', false],
    ['the inventory, after its COMMIT', 'after(COMMIT)=kill', true],
    ['the order app, before the order is recorded', 'order:before(INSERT#2)=kill', true],
    ['the order app, before its COMMIT', 'order:before(COMMIT)=kill', true],
    ['the order app, after its COMMIT', 'order:after(COMMIT)=kill', true],
  ];

  const isRecorded = (fault: string): boolean => fault === 'order:after(COMMIT)=kill';

  test.each(CRASHES)('%s: a retry finds one purchase', async (_, fault, isBought) => {
    const sku = await shop().product(5);
    const key = randomUUID();
    expectProblem(await buy(key, { sku, fault }), 502, 'OUTCOME_UNKNOWN');
    await shop().stack.ready();
    const again = await buyAgain(key, { sku });
    expect([again.status, isReplayed(again)]).toEqual([201, isBought]);
    expect(await counts(sku, 5)).toEqual(ONCE);
    expect(await reconcile()).toEqual([]);
  });

  test.each(CRASHES)('%s, without a retry: reconciled, all or nothing', async (_, fault, isBought) => {
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
  test('cancels an order whose replica is only paused: after it resumes, it cannot buy', async () => {
    const sku = await shop().product(5);
    const fault = 'before(START)=pause(lock-taken)';
    const order = shop().order({ sku, query: 'strategy=setnx', fault });
    await eventually('the replica is paused', async () =>
      (await shop().history(sku)).some(({ type }) => type === 'stopped'),
    );
    expect(await reconcile()).toMatchObject([{ outcome: 'given-up' }]);
    await shop().takeLockOver(`lock:{${sku}}:setnx`);
    expectProblem(await order, 409, 'CHANGE.CLOSED');
    expect(await counts(sku, 5)).toEqual(NEVER);
  });

  test('does not decide an order with an open transaction, and its buyer receives the confirmation', async () => {
    const sku = await shop().product(5);
    const fault = 'before(COMMIT)=pause(lock-taken)';
    const order = shop().order({ sku, query: 'strategy=setnx', fault });
    await eventually('the replica is paused', async () =>
      (await shop().history(sku)).some(({ type }) => type === 'stopped'),
    );
    expect(await reconcile()).toMatchObject([{ outcome: 'undecided' }]);
    await shop().takeLockOver(`lock:{${sku}}:setnx`);
    expect((await order).status).toBe(201);
    expect(await counts(sku, 5)).toEqual(ONCE);
    expect(await reconcile()).toEqual([]);
  });

  test('runs one round at a time, and each order is completed once', async () => {
    const sku = await shop().product(20);
    for (let i = 0; i < 3; i++) {
      await shop().order({ sku, fault: UNRECORDED });
    }
    const rounds = (await Promise.all([reconcile(), reconcile(), reconcile()])) as unknown[][];
    expect(rounds.map(({ length }) => length).sort()).toEqual([0, 0, 3]);
    expect(await counts(sku, 20)).toEqual({ gone: 3, movements: 3, orders: 3 });
  });

  test.each(['before(COMMIT)', 'after(COMMIT)', 'after(POST)', 'before(RELEASE_LOCK)'])(
    'killed %s: the next round completes the order, once',
    async (when) => {
      const sku = await shop().product(5);
      await shop().order({ sku, fault: UNRECORDED });
      const killed = await shop().post(`${shop().url('lab')}/lab/order/reconcile`, {
        body: {},
        headers: { 'x-fault': `order:${when.replace('RELEASE_LOCK', 'DO')}=kill` },
      });
      expectProblem(killed, 502, 'OUTCOME_UNKNOWN');
      await shop().stack.ready();
      await reconcile();
      expect(await counts(sku, 5)).toEqual(ONCE);
      expect(await reconcile()).toEqual([]);
    },
  );

  test('completes a whole cart, and an order that took units from several segments', async () => {
    const [sku, other] = [await shop().product(8), await shop().product(8)];
    const lines = [sku, other].map((product) => ({ sku: product, quantity: 3 }));
    const fault = UNRECORDED;
    await shop().order({ body: { lines, buyer: 'ann' }, fault });
    const split = await shop().product(8);
    const body = { sku: split, quantity: 3, buyer: 'ann' };
    await shop().order({ body, query: 'strategy=segmented', fault });
    expect(await reconcile()).toMatchObject([{ outcome: 'completed' }, { outcome: 'completed' }]);
    for (const [product, stockAfter] of [
      [sku, 5],
      [other, 5],
      [split, 1], // from the two segments that it took units from
    ] as const)
      expect(await shop().orders(product)).toMatchObject([{ quantity: 3, stockAfter }]);
    expect((await shop().movements(split)).length).toBeGreaterThan(1);
    expect((await shop().orders(sku))[0]?.['id']).toBe((await shop().orders(other))[0]?.['id']);
  });

  test('cancels an order whose units came from a count in Redis, and returns them', async () => {
    const sku = await shop().product(2);
    const query = 'strategy=redis-decr';
    await shop().order({ sku, query, fault: 'before(UPDATE)=kill' });
    await shop().stack.ready();
    expect(await reconcile()).toMatchObject([{ outcome: 'given-up' }]);
    for (let i = 0; i < 2; i++) expect((await shop().order({ sku, query })).status).toBe(201);
    expect(await counts(sku, 2)).toEqual({ gone: 2, movements: 2, orders: 2 });
  });
});
