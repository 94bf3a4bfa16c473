import { COMPONENT_NAMES } from '#lab/step';
import { Redis } from 'ioredis';
import { provide } from '../harness/servers';
import { openShop } from './support';

beforeAll(() => provide(COMPONENT_NAMES)); // installs them where possible

const shop = openShop('components', { components: COMPONENT_NAMES });

const lockOn = async (url: string, sku: string, args: (string | number)[] = []): Promise<void> => {
  const redis = new Redis(url);
  await redis.call('SET', `lock:{${sku}}:token-lua`, 'another-client', ...args);
  redis.disconnect();
};

const locks = (sku: string) => shop().get(`/lab/inventory/locks/${sku}`, 'lab');

test('a lab lists the optional servers it has', async () => {
  expect((await shop().get('/lab/inventory/components', 'lab')).json).toEqual(COMPONENT_NAMES);
  expect((await shop().get('/lab/inventory/components', 'public')).status).toBe(404);
});

test('locks on every Redis are listed with the name of the server, and a reset of the stock deletes them', async () => {
  const { voters = [], primary = '' } = shop().stack.urls.servers;
  const sku = await shop().product(1);
  await lockOn(voters[2] ?? '', sku);
  await lockOn(primary, sku, ['PX', 60_000]);
  expect((await locks(sku)).json).toEqual([
    { key: `redis-3 lock:{${sku}}:token-lua`, value: 'another-client', ttlMs: null },
    { key: `primary lock:{${sku}}:token-lua`, value: 'another-client', ttlMs: expect.any(Number) as number },
  ]);
  await shop().post(`${shop().url('lab')}/lab/reset`, { body: { sku, stock: 1 } });
  expect((await locks(sku)).json).toEqual([]);
});

test.each(['kill', 'pause'] as const)(
  'with an optional server down (%s), resetting, listing locks and buying still work',
  async (fault) => {
    const { voters = [] } = shop().stack.urls.servers;
    const sku = await shop().product(1);
    await lockOn(voters[0] ?? '', sku);
    await shop().stack[fault]('redis-2');
    expect((await locks(sku)).json).toHaveLength(1);
    const reset = await shop().post(`${shop().url('lab')}/lab/reset`, { body: { sku, stock: 1 } });
    expect(reset.status).toBe(200);
    expect((await locks(sku)).json).toEqual([]);
    expect((await shop().order({ sku, query: 'strategy=token-lua' })).status).toBe(201);
    await shop().stack.restart('redis-2');
  },
);
