import { SteppedEtcd, SteppedZooKeeper, type Component } from '#lab/step';
import { provide } from '../harness/servers';
import { eventually, expectProblem, openShop, type Reply } from './support';

const SERVERS = ['zookeeper', 'etcd'] as const satisfies readonly Component[];
beforeAll(() => provide(SERVERS)); // installs them where that is possible

const shop = openShop('zookeeper-and-etcd', { components: SERVERS });

/** Whose locks are where. */
const STRATEGIES = { zookeeper: ['zookeeper', 'zookeeper-herd'], etcd: ['etcd'] } as const;
const ELSEWHERE = ['token-lua', 'for-update', 'conditional-update'];
/** Of a hung server: a node is made, looked for, and removed, and each of the three calls is given up after 0.8 s. */
const ANSWERED_MS = { kill: 2000, pause: 3 * 800 + 600 };
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

/** Looks at the servers itself, past the shop. */
const clients: { disconnect(): void }[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.disconnect();
  // a test that failed half-way must not make the next one fail
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

/** More than anybody buys before both replicas are back. */
const STOCK = 1000;

describe('a server that is away', () => {
  test.each(FAILURES)(
    '%s, by %s: its strategies answer 503 within two seconds (a hung server: three), the others go on; afterwards all sell',
    async (server, failure) => {
      const sku = await shop().product(STOCK);
      const others = [
        ...ELSEWHERE,
        ...SERVERS.filter((one) => one !== server).flatMap((one) => STRATEGIES[one]),
      ];
      const sold: Reply[] = [];
      for (const strategy of STRATEGIES[server]) sold.push(await order(sku, strategy));
      expect(sold.map(({ status }) => status)).toEqual(sold.map(() => 201));

      await shop().stack[failure](server);
      const answers: number[] = [];
      for (const strategy of [...STRATEGIES[server], ...STRATEGIES[server]]) {
        const reply = await order(sku, strategy);
        expect(reply.tookMs).toBeLessThan(ANSWERED_MS[failure]);
        // while the server hangs the session ends by the replica's own clock: who asks just then is told that
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
        const back = new Set<unknown>(); // each replica finds the way back by itself
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
      await eventually('nothing is locked', async () => JSON.stringify(await locks(sku)) === '[]');
    },
  );
});

describe('a lost reply', () => {
  const stepsOf = async (sku: string, verb: string): Promise<number> =>
    (await shop().history(sku)).filter((line) => line.type === 'step' && line.verb === verb).length;

  test.each(STRATEGIES.zookeeper)(
    '%s: a node that was made all the same is found again, used, and removed: no orphan',
    async (strategy) => {
      const sku = await shop().product(5);
      const zookeeper = await openZookeeper();
      const reply = await order(sku, strategy, '', 'after(CREATE)=lose-reply');
      expect((await shop().history(sku)).filter(({ type }) => type === 'fault')).toHaveLength(1);
      expect(reply.status).toBe(201);
      expect(await stepsOf(sku, 'CREATE')).toBe(1); // found, not made again
      expect(await zookeeper.session.children(`/lock:{${sku}}:${strategy}`)).toEqual([]);
      expect((await zookeeper.session.get(`/lock:{${sku}}:${strategy}`))?.session).toBeUndefined();
      expect((await order(sku, strategy, '&waitMs=0')).status).toBe(201);
      expect(await shop().stock(sku)).toBe(3);
    },
  );

  test('etcd: a key that was made all the same goes with its lease: nothing is sold, nobody is kept out', async () => {
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
  /** Makes somebody else's lock. */
  const MAKE = {
    zookeeper: async (sku: string) => {
      await (await openZookeeper()).session.createNumbered(`/lock:{${sku}}:zookeeper/x-`, 'somebody');
    },
    'zookeeper-herd': async (sku: string) => {
      await (await openZookeeper()).session.create(`/lock:{${sku}}:zookeeper-herd`, 'somebody');
    },
    etcd: async (sku: string) => {
      const client = openEtcd();
      await client.create(`lock:{${sku}}:etcd/x`, 'somebody', await client.grant(60_000));
    },
  } as const;

  test.each([
    ['zookeeper', 'zookeeper'],
    ['zookeeper-herd', 'zookeeper'],
    ['etcd', 'etcd'],
  ] as const)('shows a lock of %s, and a reset deletes it', async (strategy, server) => {
    const sku = await shop().product(5);
    await MAKE[strategy](sku);
    expect(await locks(sku)).toEqual([
      { key: `${server} lock:{${sku}}:${strategy}`, value: 'somebody', ttlMs: expect.any(Number) as number },
    ]);
    expectProblem(await order(sku, strategy, '&waitMs=0'), 423, 'LOCK.NOT_OBTAINED');
    expect((await reset(sku)).status).toBe(200);
    expect(await locks(sku)).toEqual([]);
    expect((await order(sku, strategy, '&waitMs=0')).status).toBe(201);
  });

  test.each(SERVERS)('shows whose lock it is while a sale is made: %s', async (strategy) => {
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

  test.each(FAILURES)('a reset does not wait for %s, which is away (%s)', async (server, failure) => {
    const sku = await shop().product(5);
    await shop().stack[failure](server);
    expect(await locks(sku)).toEqual([]);
    expect((await reset(sku)).status).toBe(200);
    await shop().stack.restart(server);
    for (const strategy of STRATEGIES[server])
      await eventually(`${strategy} sells again`, async () => (await order(sku, strategy)).status === 201);
  });
});
