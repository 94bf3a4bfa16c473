import { createConnection } from 'mysql2/promise';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually, expectProblem, openShop, type Reply } from './support';

// full durability: what the shop has confirmed must survive a SIGKILL of the database
const shop = openShop('away', { durability: 'full' });

const IN_REDIS = ['setnx', 'expiring', 'token-checked', 'token-lua', 'watchdog'];
const IN_DATABASE = ['none', 'local-mutex', 'for-update', 'conditional-update'];

const orderWith = (sku: string, strategy: string, more = ''): Promise<Reply> =>
  shop().order({ sku, query: `strategy=${strategy}${more}` });

function expectDown(reply: Reply): void {
  expectProblem(reply, 503, 'DEPENDENCY.DOWN');
  expect(reply.headers['retry-after']).toBe('1');
}

/** As many orders as movements and missing units: no order is half done. */
async function expectWhole(sku: string, initial: number): Promise<void> {
  const [orders, movements] = [await shop().orders(sku), await shop().movements(sku)];
  expect(movements.map((row) => row['request']).sort()).toEqual(orders.map((row) => row['request']).sort());
  expect(await shop().stock(sku)).toBe(initial - orders.length);
}

describe('Redis', () => {
  test('killed: lock strategies answer 503, the others still sell; restarted: all sell', async () => {
    const sku = await shop().product(50);
    await shop().stack.kill('redis');
    for (const strategy of [...IN_REDIS, ...IN_REDIS]) expectDown(await orderWith(sku, strategy));
    for (const strategy of IN_DATABASE) expect((await orderWith(sku, strategy)).status).toBe(201);
    expect((await shop().get('/health/ready')).status).toBe(200);
    await shop().stack.restart('redis');
    for (const strategy of IN_REDIS)
      await eventually(
        `${strategy} sells again`,
        async () => (await orderWith(sku, strategy)).status === 201,
      );
    await expectWhole(sku, 50);
  });

  test('hung: lock strategies answer 503, the others still sell; resumed: all sell', async () => {
    const sku = await shop().product(50);
    await shop().stack.pause('redis');
    const replies = await Promise.all(IN_REDIS.map((strategy) => orderWith(sku, strategy, '&leaseMs=300')));
    for (const strategy of IN_DATABASE) expect((await orderWith(sku, strategy)).status).toBe(201);
    await shop().stack.resume('redis');
    for (const reply of replies) expectDown(reply);
    await expectWhole(sku, 50);
    // locks granted without a known holder stay until their lease ends; those of setnx have none
    expect((await orderWith(sku, 'token-lua', '&waitMs=8000')).status).toBe(201);
  });

  test('killed while a lock is held: the buyer keeps the completed sale', async () => {
    const sku = await shop().product(5);
    const order = orderWith(sku, 'token-lua', '&workMs=600');
    await eventually(
      'the lock is held',
      async () =>
        (await shop().history(sku)).some((line) => line.type === 'step' && line.verb === 'WORK') ||
        (await shop().history(sku)).some((line) => line.type === 'step' && line.verb === 'SET'),
    );
    await shop().stack.kill('redis');
    expect((await order).status).toBe(201);
    await shop().stack.restart('redis');
    await expectWhole(sku, 5);
  });
});

describe('the database', () => {
  test('killed: 503, not ready, and no partial order; restarted: sells, and has lost nothing', async () => {
    const sku = await shop().product(50);
    for (let i = 0; i < 3; i++) expect((await orderWith(sku, 'conditional-update')).status).toBe(201);
    await shop().stack.kill('mysql');
    for (const strategy of [...IN_DATABASE, ...IN_REDIS]) expectDown(await orderWith(sku, strategy));
    expectDown(await shop().get('/health/ready'));
    expectDown(await shop().get('/products'));
    expect((await shop().get('/health/live')).status).toBe(200);
    await shop().stack.restart('mysql');
    await shop().stack.ready();
    expect(await shop().orders(sku)).toHaveLength(3);
    for (const strategy of [...IN_DATABASE, ...IN_REDIS])
      expect((await orderWith(sku, strategy)).status).toBe(201);
    await expectWhole(sku, 50);
  });

  test('killed in the middle of many orders: confirmed orders survive, and no order is partial', async () => {
    const sku = await shop().product(1000);
    const orders = Array.from({ length: 60 }, () => orderWith(sku, 'conditional-update', '&workMs=20'));
    await Promise.race(orders);
    await shop().stack.kill('mysql');
    const replies = await Promise.all(orders);
    await shop().stack.restart('mysql');
    await shop().stack.ready();
    const confirmed = replies.filter(({ status }) => status === 201).map(({ json }) => json['request']);
    const movements = (await shop().movements(sku)).map((row) => row['request']);
    const recorded = (await shop().orders(sku)).map((row) => row['request']);
    const unknown = replies
      .filter(({ json }) => json['code'] === 'OUTCOME_UNKNOWN')
      .map(({ headers }) => headers['x-request-id']);
    expect(recorded).toEqual(expect.arrayContaining(confirmed));
    expect(movements).toEqual(expect.arrayContaining(recorded));
    expect(await shop().stock(sku)).toBe(1000 - movements.length);
    // a deduction without an order belongs to a buyer that received OUTCOME_UNKNOWN
    expect(unknown).toEqual(expect.arrayContaining(movements.filter((id) => !recorded.includes(id))));
    expect(new Set(replies.map(({ status }) => status))).not.toContain(500);
  });

  test('hung: every request is answered before the database is resumed, even those that wait for a connection; resumed: sells', async () => {
    const sku = await shop().product(500);
    // more than the connections of a replica; not local-mutex, whose requests wait for each other by design
    const many = (strategies: readonly string[]) =>
      Array.from({ length: 120 }, (_, i) => orderWith(sku, strategies[i % strategies.length] ?? ''));
    await Promise.all(many(['conditional-update']));
    await shop().stack.pause('mysql');
    const orders = many(['none', 'for-update', 'conditional-update']);
    const ready = await shop().get('/health/ready');
    const replies = await Promise.all(orders);
    await shop().stack.resume('mysql');
    expectDown(ready);
    for (const reply of replies) expectDown(reply);
    await eventually('the shop sells again', async () => (await orderWith(sku, 'for-update')).status === 201);
    await shop().stack.ready();
    await expectWhole(sku, 500);
  });

  test('hung for less than any timeout: the orders succeed', async () => {
    const sku = await shop().product(5);
    await shop().stack.pause('mysql');
    const order = orderWith(sku, 'conditional-update');
    await eventually('the order has begun', async () => (await begun(sku)) > 0);
    await shop().stack.resume('mysql');
    expect((await order).status).toBe(201);
    await expectWhole(sku, 5);
  });

  test('slow but alive: a statement that waits for a row lock is not abandoned', async () => {
    const sku = await shop().product(5);
    const holder = await createConnection(shop().stack.urls.mysql);
    try {
      await holder.beginTransaction();
      await holder.query('SELECT 1 FROM inventory.balance WHERE id = ? FOR UPDATE', [sku]);
      const order = orderWith(sku, 'for-update');
      await delay(1400); // longer than the time after which the server is probed; the database ends a wait after 2 s
      await holder.rollback();
      const reply = await order;
      if (reply.status !== 201) expectProblem(reply, 423, 'LOCK.WAIT_TIMEOUT'); // released too late
      await expectWhole(sku, 5);
    } finally {
      await holder.end();
    }
  });

  const begun = async (sku: string): Promise<number> =>
    (await shop().history(sku)).filter((line) => line.type === 'request').length;
});

test('nginx: killed and restarted, the same address sells again', async () => {
  const sku = await shop().product(5);
  await shop().stack.kill('nginx');
  await expect(shop().order({ sku })).rejects.toThrow();
  await shop().stack.restart('nginx');
  await shop().stack.ready();
  for (let i = 0; i < 4; i++) expect((await shop().order({ sku })).status).toBe(201);
  await expectWhole(sku, 5);
});
