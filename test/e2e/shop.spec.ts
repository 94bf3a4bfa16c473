import { Redis } from 'ioredis';
import { createConnection } from 'mysql2/promise';
import { eventually, expectProblem, openShop } from './support';

const shop = openShop('shop');
const ANY = expect.any(String) as string;

describe('an order', () => {
  test('takes the stock, and records the movement in one schema and the order in the other', async () => {
    const sku = await shop().product(5);
    const { status, json } = await shop().order({
      body: { sku, quantity: 2, buyer: 'Zoë 王' },
      headers: { 'x-request-id': 'first-order' },
    });
    expect({ status, json }).toMatchObject({
      status: 201,
      json: {
        sku,
        quantity: 2,
        buyer: 'Zoë 王',
        stockAfter: 3,
        request: 'first-order',
        strategy: 'conditional-update',
      },
    });
    expect(await shop().movements(sku)).toEqual([
      {
        id: expect.any(Number) as number,
        balance: sku,
        segment: null,
        delta: -2,
        before: 5,
        after: 3,
        request: 'first-order',
        replica: json['inventoryReplica'],
        strategy: 'conditional-update',
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
      },
    ]);
    expect(await shop().orders(sku)).toMatchObject([
      { id: json['id'], quantity: 2, buyer: 'Zoë 王', replica: json['replica'], request: 'first-order' },
    ]);
    expect(await shop().stock(sku)).toBe(3);
  });

  test.each([
    'none',
    'local-mutex',
    'setnx',
    'expiring',
    'token-checked',
    'token-lua',
    'watchdog',
    'for-update',
    'conditional-update',
  ])('succeeds under %s and leaves no lock', async (strategy) => {
    const sku = await shop().product(1);
    const { status, json } = await shop().order({ sku, query: `strategy=${strategy}` });
    expect({ status, strategy: json['strategy'] }).toEqual({ status: 201, strategy });
    expect((await shop().movements(sku)).map((row) => row['strategy'])).toEqual([strategy]);
    expect((await shop().get(`/lab/inventory/locks/${sku}`, 'lab')).json).toEqual([]);
    expectProblem(await shop().order({ sku, query: `strategy=${strategy}` }), 409, 'STOCK.SOLD_OUT');
    expect(await shop().stock(sku)).toBe(0);
  });

  test('takes its strategy and options from headers or the query; where they disagree, it is refused', async () => {
    const sku = await shop().product(9);
    const headers = { 'x-strategy': 'setnx', 'x-lease-ms': '777', 'x-wait-ms': '5' };
    const byHeaders = await shop().order({ sku, headers });
    expect(byHeaders.json).toMatchObject({ strategy: 'setnx', options: { leaseMs: 777, waitMs: 5 } });
    const equal = await shop().order({ sku, headers, query: 'strategy=setnx&waitMs=5' });
    expect(equal.json).toMatchObject({ strategy: 'setnx', options: { leaseMs: 777, waitMs: 5 } });
    const disagree = async (query: string, detail: string) => {
      const reply = await shop().order({ sku, headers, query });
      expectProblem(reply, 400, 'REQUEST.INVALID');
      expect(reply.json['detail']).toBe(`${detail}: send one of them`);
    };
    await disagree('strategy=expiring', 'strategy is "expiring" in the query and "setnx" in x-strategy');
    await disagree('leaseMs=888', 'leaseMs is "888" in the query and "777" in x-lease-ms');
    expect(await shop().orders(sku)).toHaveLength(2);
  });

  test('lists as ignored the options that its strategy does not use', async () => {
    const sku = await shop().product(9);
    const query = 'strategy=setnx&leaseMs=100&workMs=1';
    expect((await shop().order({ sku, query })).json['ignored']).toEqual(['leaseMs']);
    expect((await shop().order({ sku })).json['ignored']).toEqual([]);
  });

  test('for more than the stock is refused, and the stock stays available for smaller orders', async () => {
    const sku = await shop().product(3);
    const of = (quantity: number) => shop().order({ body: { sku, quantity, buyer: 'ann' } });
    expectProblem(await of(4), 409, 'STOCK.SOLD_OUT');
    expect((await of(3)).status).toBe(201);
    expect(await shop().orders(sku)).toHaveLength(1);
  });

  test('waits for a lock for waitMs, then gives up', async () => {
    const sku = await shop().product(2);
    const redis = new Redis(shop().stack.urls.redis);
    try {
      await redis.set(`lock:{${sku}}:setnx`, 'another client');
      const reply = await shop().order({ sku, query: 'strategy=setnx&waitMs=200' });
      expectProblem(reply, 423, 'LOCK.NOT_OBTAINED');
      expect(reply.tookMs).toBeGreaterThanOrEqual(200);
      await redis.del(`lock:{${sku}}:setnx`);
    } finally {
      redis.disconnect();
    }
    expect((await shop().order({ sku, query: 'strategy=setnx&waitMs=200' })).status).toBe(201);
    expect(await shop().stock(sku)).toBe(1);
  });

  test('fails with 423 when the row stays locked, and nothing is oversold', async () => {
    const sku = await shop().product(2);
    const sql = await createConnection(shop().stack.urls.mysql);
    try {
      await sql.beginTransaction();
      await sql.query('SELECT id FROM inventory.balance WHERE id = ? FOR UPDATE', [sku]);
      expectProblem(await shop().order({ sku, query: 'strategy=for-update' }), 423, 'LOCK.WAIT_TIMEOUT');
    } finally {
      await sql.end(); // rolls back
    }
    expect((await shop().order({ sku, query: 'strategy=for-update' })).status).toBe(201);
    expect(await shop().stock(sku)).toBe(1);
  });
});

describe('the replicas', () => {
  test('all serve requests, and every answer names its replica', async () => {
    const sku = await shop().product(100);
    const replies = await Promise.all(Array.from({ length: 24 }, () => shop().order({ sku })));
    expect([...new Set(replies.map(({ headers }) => headers['x-replica']))].sort()).toEqual([
      'order-1',
      'order-2',
    ]);
    expect([...new Set(replies.map(({ json }) => json['inventoryReplica']))].sort()).toEqual([
      'inventory-1',
      'inventory-2',
    ]);
    for (const { headers, json } of replies) {
      expect(headers['x-replica']).toBe(json['replica']);
      expect(headers['x-request-id']).toBe(json['request']);
    }
    const movements = await shop().movements(sku);
    expect(movements.map((row) => row['after'])).toEqual(Array.from({ length: 24 }, (_, i) => 99 - i));
    expect(new Set(movements.map((row) => row['request']))).toEqual(
      new Set(replies.map(({ json }) => json['request'])),
    );
  });

  test.each(['/orders', '/products', '/products/nothing', '/orders/nothing', '/health/live', '/docs-json'])(
    'are named in the reply at %s',
    async (path) => {
      expect((await shop().get(path)).headers['x-replica']).toMatch(/^(order|inventory)-[12]$/);
    },
  );

  test('never oversell under a lock that all of them share', async () => {
    const sku = await shop().product(10);
    const orders = Array.from({ length: 30 }, () =>
      shop().order({ sku, query: 'strategy=token-lua&waitMs=30000' }),
    );
    const statuses = (await Promise.all(orders)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(10);
    expect(statuses.filter((status) => status === 409)).toHaveLength(20);
    expect(await shop().orders(sku)).toHaveLength(10);
  });
});

describe('reads', () => {
  test('orders are paged by number', async () => {
    const sku = await shop().product(5);
    for (let i = 0; i < 5; i++) await shop().order({ sku });
    const all = await shop().orders(sku);
    const first = await shop().list(`/orders?sku=${sku}&limit=2`);
    expect(first).toEqual(all.slice(0, 2));
    const rest = await shop().list(`/orders?sku=${sku}&after=${String(first[1]?.['number'])}`);
    expect(rest).toEqual(all.slice(2));
  });

  test('movements are paged in the order of their inserts', async () => {
    const sku = await shop().product(5);
    for (let i = 0; i < 3; i++) await shop().order({ sku });
    const [first, ...rest] = await shop().movements(sku);
    expect(await shop().list(`/products/${sku}/movements?limit=1`)).toEqual([first]);
    expect(await shop().list(`/products/${sku}/movements?after=${String(first?.['id'])}`)).toEqual(rest);
  });

  test('products are listed with their stock, one is read by its SKU, and an unknown one is 404', async () => {
    const sku = await shop().product(7);
    const product = { sku, name: ANY, priceMinor: expect.any(Number) as number, stock: 7, initial: 7 };
    expect((await shop().get(`/products/${sku}`)).json).toEqual(product);
    expect(await shop().list('/products')).toContainEqual(product);
    expectProblem(await shop().get('/products/nothing'), 404, 'STOCK.UNKNOWN_SKU');
    expectProblem(await shop().get('/products/nothing/movements'), 404, 'STOCK.UNKNOWN_SKU');
  });

  test('a stock read under the shared lock waits for a sale in progress', async () => {
    const sku = await shop().product(1);
    const sql = await createConnection(shop().stack.urls.mysql);
    try {
      await sql.query('LOCK TABLES inventory.balance READ'); // nothing is sold before UNLOCK TABLES
      const sale = shop().order({ sku, query: 'strategy=read-write&leaseMs=60000' });
      const locks = `/lab/inventory/locks/${sku}`;
      await eventually(
        'a writer holds the lock',
        async () => (await shop().get(locks, 'lab')).json['length'] === 1,
      );
      expect(await shop().stock(sku)).toBe(1);
      const waiting = shop().get(`/products/${sku}?strategy=read-write&waitMs=30000`);
      await sql.query('UNLOCK TABLES');
      expect((await waiting).json['stock']).toBe(0);
      expect((await sale).status).toBe(201);
      expect((await shop().get(locks, 'lab')).json).toEqual([]);
    } finally {
      await sql.end();
    }
  });

  test('readers that hold the shared lock block a sale', async () => {
    const sku = await shop().product(1);
    const order = (quantity: number) =>
      shop().order({ body: { sku, quantity, buyer: 'ann' }, query: 'strategy=read-write&waitMs=0' });
    let workMs = 500;
    await eventually('an order arrives while a reader holds the lock', async () => {
      workMs = Math.min(2 * workMs, 10_000); // the last reader may have finished before an order arrived
      let isReading = true as boolean; // set when the reader has finished
      const query = `strategy=read-write&leaseMs=60000&workMs=${workMs}`;
      const reading = shop()
        .get(`/products/${sku}?${query}`)
        .finally(() => (isReading = false));
      let reply = await order(9); // too much: sold out while there is no reader
      while (isReading && reply.status !== 423) reply = await order(9);
      expect((await reading).json['stock']).toBe(1);
      if (reply.status === 423) expectProblem(reply, 423, 'LOCK.NOT_OBTAINED');
      return reply.status === 423;
    });
    expect((await order(1)).status).toBe(201);
  });

  test.each(['live', 'ready'])('health: %s', async (check) => {
    expect(await shop().get(`/health/${check}`)).toMatchObject({ status: 200, json: { status: 'ok' } });
  });

  test('OpenAPI documents of both apps list every public route', async () => {
    expect((await shop().get('/docs')).headers['content-type']).toContain('text/html');
    const order = (await shop().get('/docs-json')).json as { paths: object };
    expect(Object.keys(order.paths)).toEqual(expect.arrayContaining(['/orders', '/health/ready']));
    const replica = await shop().replica('inventory-1');
    const inventory = await shop().send(`${replica.url}/docs-json`, 'GET', {});
    expect(Object.keys(inventory.json['paths'] as object)).toEqual(
      expect.arrayContaining(['/products', '/products/{sku}', '/products/{sku}/movements']),
    );
  });
});

describe('a graceful stop', () => {
  /** The supervisor kills a replica that does not stop in time. */
  const forcedKills = async (sku: string) =>
    (await shop().history(sku)).filter((line) => line.type === 'exit' && line.signal === 'SIGKILL');

  test('lets the inventory finish the request that holds the lock and release the lock', async () => {
    const sku = await shop().product(2);
    const order = shop().order({ sku, query: 'strategy=setnx&workMs=1000' });
    let at: string | undefined;
    await eventually('the lock is held', async () => {
      at = (await shop().history(sku)).find((line) => line.type === 'step' && line.verb === 'SETNX')?.replica;
      return at !== undefined;
    });
    await shop().stack.restart(String(at));
    expect(await order).toMatchObject({ status: 201, json: { inventoryReplica: at } });
    expect(await forcedKills(sku)).toEqual([]);
    expect((await shop().get(`/lab/inventory/locks/${sku}`, 'lab')).json).toEqual([]);
    expect(await shop().movements(sku)).toHaveLength(1);
  });

  test('lets the order app finish the order in progress', async () => {
    const sku = await shop().product(2);
    const order = shop().order({ sku, query: 'strategy=conditional-update&workMs=1000' });
    let at: string | undefined;
    await eventually('the order is being placed', async () => {
      at = (await shop().history(sku)).find(
        (line) => line.type === 'request' && line.app === 'order',
      )?.replica;
      return at !== undefined;
    });
    await shop().stack.restart(String(at));
    expect(await order).toMatchObject({ status: 201, json: { replica: at } });
    expect(await forcedKills(sku)).toEqual([]);
    expect(await shop().orders(sku)).toHaveLength(1);
  });
});
