import { SteppedEtcd, SteppedZooKeeper, type Component } from '#lab/step';
import { provide } from '../harness/servers';
import { eventually, expectProblem, openShop, type Reply } from './support';

const SERVERS = ['zookeeper', 'etcd'] as const satisfies readonly Component[];
beforeAll(() => provide(SERVERS)); // installs them where possible

const shop = openShop('zookeeper-and-etcd', { components: SERVERS });

/** The strategies whose locks are on each server. */
const STRATEGIES = { zookeeper: ['zookeeper', 'zookeeper-herd'], etcd: ['etcd'] } as const;
const ELSEWHERE = ['token-lua', 'for-update', 'conditional-update'];
const FAILURES = [
  ['zookeeper', 'kill'],
  ['zookeeper', 'pause'],
  ['etcd', 'kill'],
  ['etcd', 'pause'],
] as const;

const order = (sku: string, strategy: string, more = '', fault?: string): Promise<Reply> =>
  shop().order({ sku, query: `strategy=${strategy}${more}`, ...(fault !== undefined && { fault }) });

const locks = async (sku: string): Promise<unknown> =>
  (await shop().get(`/lab/inventory/locks/${sku}`, 'lab')).json;

const reset = (sku: string): Promise<Reply> =>
  shop().post(`${shop().url('lab')}/lab/reset`, { body: { sku, stock: 5 } });

/** Clients that read the servers directly, bypassing the shop. */
const clients: { disconnect(): void }[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.disconnect();
  // a failed test must not make the next one fail
  for (const server of SERVERS)
    await shop()
      .stack.resume(server)
      .catch(() => shop().stack.restart(server));
});
async function openZookeeper(): Promise<SteppedZooKeeper> {
  const client = new SteppedZooKeeper({
    address: shop().stack.urls.servers.zookeeper ?? '',
    timeoutMs: 5000,
  });
  clients.push(client);
  await client.connect();
  return client;
}
function openEtcd(): SteppedEtcd {
  const client = new SteppedEtcd({ url: shop().stack.urls.servers.etcd ?? '', timeoutMs: 5000 });
  clients.push(client);
  return client;
}

/** More units than can be sold before both replicas have reconnected. */
const STOCK = 1000;

describe('a server that is down', () => {
  test.each(FAILURES)(
    '%s, by %s: its strategies answer 503 before the server is back, the others still sell; afterwards all sell',
    async (server, failure) => {
      const sku = await shop().product(STOCK);
      const others = [
        ...ELSEWHERE,
        ...SERVERS.filter((name) => name !== server).flatMap((name) => STRATEGIES[name]),
      ];
      const sold: Reply[] = [];
      for (const strategy of STRATEGIES[server]) sold.push(await order(sku, strategy));
      expect(sold.map(({ status }) => status)).toEqual(sold.map(() => 201));

      await shop().stack[failure](server);
      const answers: number[] = [];
      for (const strategy of [...STRATEGIES[server], ...STRATEGIES[server]]) {
        const reply = await order(sku, strategy);
        // while the server hangs, the replica's own clock ends the session: a request at that moment fails with
        // LOCK.LOST
        if (failure === 'pause' && reply.status === 409) expectProblem(reply, 409, 'LOCK.LOST');
        else {
          expectProblem(reply, 503, 'DEPENDENCY.DOWN');
          expect(reply.headers['retry-after']).toBe('1');
        }
        answers.push(reply.status);
      }
      expect(answers).toContain(503);
      for (const strategy of others) sold.push(await order(sku, strategy));
      expect(sold.map(({ status }) => status)).toEqual(sold.map(() => 201));
      expect((await shop().get('/health/ready')).status).toBe(200);

      if (failure === 'kill') await shop().stack.restart(server);
      else await shop().stack.resume(server);
      for (const strategy of STRATEGIES[server]) {
        const back = new Set<unknown>(); // each replica reconnects by itself
        await eventually(`${strategy} sells again on both replicas`, async () => {
          const reply = await order(sku, strategy);
          if (reply.status === 201) sold.push(reply);
          if (reply.status === 201) back.add(reply.json['inventoryReplica']);
          return back.size === 2;
        });
      }
      const requests = (rows: readonly Record<string, unknown>[]) =>
        rows.map(({ request }) => request).sort();
      const confirmed = requests(sold.map(({ json }) => json));
      expect(requests(await shop().movements(sku))).toEqual(confirmed);
      expect(requests(await shop().orders(sku))).toEqual(confirmed);
      expect(await shop().stock(sku)).toBe(STOCK - sold.length);
      await eventually('no lock is left', async () => JSON.stringify(await locks(sku)) === '[]');
    },
  );
});

describe('a lost reply', () => {
  const stepsOf = async (sku: string, verb: string): Promise<number> =>
    (await shop().history(sku)).filter((line) => line.type === 'step' && line.verb === verb).length;

  test.each(STRATEGIES.zookeeper)(
    '%s: a node that was created all the same is found again, used, and removed: no orphan',
    async (strategy) => {
      const sku = await shop().product(5);
      const zookeeper = await openZookeeper();
      const reply = await order(sku, strategy, '', 'after(CREATE)=lose-reply');
      expect((await shop().history(sku)).filter(({ type }) => type === 'fault')).toHaveLength(1);
      expect(reply.status).toBe(201);
      expect(await stepsOf(sku, 'CREATE')).toBe(1); // found, not created again
      expect(await zookeeper.session.children(`/lock:{${sku}}:${strategy}`)).toEqual([]);
      expect((await zookeeper.session.get(`/lock:{${sku}}:${strategy}`))?.session).toBeUndefined();
      expect((await order(sku, strategy, '&waitMs=0')).status).toBe(201);
      expect(await shop().stock(sku)).toBe(3);
    },
  );

  test('etcd: a key that was created all the same is removed with its lease: nothing is sold, and the next buyer enters', async () => {
    const sku = await shop().product(5);
    const reply = await order(sku, 'etcd', '&leaseMs=60000', 'after(PUT)=lose-reply');
    expect((await shop().history(sku)).filter(({ type }) => type === 'fault')).toHaveLength(1);
    expectProblem(reply, 503, 'DEPENDENCY.DOWN');
    expect(await openEtcd().list(`lock:{${sku}}:`)).toEqual([]);
    expect((await order(sku, 'etcd', '&waitMs=0')).status).toBe(201);
    expect(await shop().stock(sku)).toBe(4);
  });
});

describe('the lab', () => {
  /** Creates the lock of another client. */
  const CREATE_LOCK = {
    zookeeper: async (sku: string) => {
      await (await openZookeeper()).session.createNumbered(`/lock:{${sku}}:zookeeper/x-`, 'another-client');
    },
    'zookeeper-herd': async (sku: string) => {
      await (await openZookeeper()).session.create(`/lock:{${sku}}:zookeeper-herd`, 'another-client');
    },
    etcd: async (sku: string) => {
      const client = openEtcd();
      await client.create(`lock:{${sku}}:etcd/x`, 'another-client', await client.grant(60_000));
    },
  } as const;

  test.each([
    ['zookeeper', 'zookeeper'],
    ['zookeeper-herd', 'zookeeper'],
    ['etcd', 'etcd'],
  ] as const)('lists a lock of %s, and a reset deletes it', async (strategy, server) => {
    const sku = await shop().product(5);
    await CREATE_LOCK[strategy](sku);
    expect(await locks(sku)).toEqual([
      {
        key: `${server} lock:{${sku}}:${strategy}`,
        value: 'another-client',
        ttlMs: expect.any(Number) as number,
      },
    ]);
    expectProblem(await order(sku, strategy, '&waitMs=0'), 423, 'LOCK.NOT_OBTAINED');
    expect((await reset(sku)).status).toBe(200);
    expect(await locks(sku)).toEqual([]);
    expect((await order(sku, strategy, '&waitMs=0')).status).toBe(201);
  });

  test.each(SERVERS)('lists the owner of a lock during a sale: %s', async (strategy) => {
    const sku = await shop().product(5);
    const sale = order(sku, strategy, '&workMs=1500');
    let shown: unknown;
    await eventually('the lock is shown', async () => {
      shown = await locks(sku);
      return JSON.stringify(shown) !== '[]';
    });
    const { status, json } = await sale;
    expect(status).toBe(201);
    expect(shown).toEqual([
      {
        key: `${strategy} lock:{${sku}}:${strategy}`,
        value: json['request'],
        ttlMs: expect.any(Number) as number,
      },
    ]);
    expect(await locks(sku)).toEqual([]);
  });

  test.each(FAILURES)('resets without waiting for %s, which is down (%s)', async (server, failure) => {
    const sku = await shop().product(5);
    await shop().stack[failure](server);
    expect(await locks(sku)).toEqual([]);
    expect((await reset(sku)).status).toBe(200);
    await shop().stack.restart(server);
    for (const strategy of STRATEGIES[server])
      await eventually(`${strategy} sells again`, async () => (await order(sku, strategy)).status === 201);
  });
});
