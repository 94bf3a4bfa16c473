import { createConnection } from 'mysql2/promise';
import { Agent, request } from 'undici';
import { eventually, expectProblem, openShop, type Reply } from './support';

/** Orders that an order replica admits at the same time. */
const AT_ONCE = 8;
const REPLICAS = 2;
const BEYOND = 5;

const shop = openShop('overload', {
  replicas: { order: REPLICAS, inventory: 1 },
  environment: { ORDERS_AT_ONCE: String(AT_ONCE) },
});

async function send(url: string, sku: string, dispatcher: Agent): Promise<Reply> {
  const { statusCode, headers, body } = await request(`${url}/orders?strategy=conditional-update`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sku, quantity: 1, buyer: 'ann' }),
    dispatcher,
  });
  return { status: statusCode, headers, json: (await body.json()) as Record<string, unknown>, tookMs: 0 };
}

function expectRefusal(reply: Reply): void {
  expectProblem(reply, 503, 'OVERLOADED');
  expect(reply.headers['retry-after']).toBe('1');
}

/** The order replicas that have begun an order of the product, once for each order. */
const begun = async (sku: string): Promise<string[]> =>
  (await shop().history(sku)).flatMap((line) =>
    line.type === 'request' && line.app === 'order' ? [line.replica] : [],
  );

test('orders beyond the bound are refused before anything is done; admitted ones are placed, other endpoints answer', async () => {
  const sku = await shop().product(100);
  const agent = new Agent({ connections: AT_ONCE * REPLICAS + BEYOND });
  const blocker = await createConnection(shop().stack.urls.mysql);
  try {
    await blocker.query('LOCK TABLES inventory.balance WRITE'); // no deduction ends before UNLOCK TABLES
    const buy = (): Promise<Reply> => send(shop().url('public'), sku, agent);
    const admitted = Array.from({ length: AT_ONCE * REPLICAS }, buy);
    // nginx divides them evenly, although a replica could take all
    await eventually('all are at work', async () => (await begun(sku)).length === AT_ONCE * REPLICAS);
    const names = await begun(sku);
    for (const replica of ['order-1', 'order-2'])
      expect(names.filter((name) => name === replica)).toHaveLength(AT_ONCE);

    for (const refused of await Promise.all(Array.from({ length: BEYOND }, buy))) {
      expectRefusal(refused);
      expect(refused.headers).not.toHaveProperty('x-replica'); // nginx refused it
    }
    for (const { url, app } of await shop().stack.replicas())
      if (app === 'order') expectRefusal(await send(url, sku, agent)); // past nginx, the replica refuses it
    for (const path of ['/health/live', '/health/ready', `/orders?sku=${sku}`])
      expect((await shop().get(path)).status).toBe(200);
    expect(await begun(sku)).toHaveLength(AT_ONCE * REPLICAS);

    await blocker.query('UNLOCK TABLES');
    const answers = await Promise.all(admitted);
    const sold = answers.filter(({ status }) => status === 201).length;
    // on a busy machine a statement may wait longer for the row than the database allows: 423
    expect(answers.filter(({ status }) => status !== 201 && status !== 423)).toEqual([]);
    expect(await shop().stock(sku)).toBe(100 - sold);
    expect((await shop().order({ sku })).status).toBe(201);
  } finally {
    await blocker.end();
    await agent.destroy();
  }
});

test('a paused replica keeps no more than its own share of the bound: the other one still sells', async () => {
  const sku = await shop().product(100);
  const agent = new Agent({ connections: AT_ONCE * REPLICAS });
  const buy = (): Promise<Reply> => send(shop().url('public'), sku, agent);
  try {
    await shop().stack.pause('order-1');
    const answers: Reply[] = [];
    const orders = Array.from({ length: AT_ONCE * REPLICAS }, async () => answers.push(await buy()));
    await eventually('half of the orders are placed', () => answers.length === AT_ONCE);
    for (let i = 0; i < 3; i++) {
      const { status, headers } = await buy();
      expect([status, headers['x-replica']]).toEqual([201, 'order-2']);
    }
    expect(answers).toHaveLength(AT_ONCE);

    await shop().stack.resume('order-1');
    await Promise.all(orders);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
  } finally {
    await shop().stack.resume('order-1');
    await agent.destroy();
  }
});
