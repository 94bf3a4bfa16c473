import { LIMITERS } from '#lab/limit';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, expectProblem, openShop, type Reply } from '../e2e/support';

const shop = openShop('limits', { replicas: { order: 2, inventory: 2, account: 1 } });

/** Longer than the spec: no window ends by itself. */
const HOUR = 3_600_000;
let clients = 0;
const newClient = (): string => `client-${++clients}`;

const read = (
  query: string,
  headers: Record<string, string> = {},
  path = '/products/phone',
): Promise<Reply> => shop().send(`${shop().url('public')}${path}?${query}`, 'GET', { headers });

const statuses = async (count: number, one: () => Promise<Reply>): Promise<number[]> =>
  (await Promise.all(Array.from({ length: count }, one))).map(({ status }) => status).sort();

describe('a request with a limit', () => {
  test('is refused with 429, Retry-After and the RateLimit fields when the limit is used up', async () => {
    const headers = { 'x-client': newClient() };
    const query = `limit=fixed-window&max=2&windowMs=${HOUR}`;
    const [first, second, third] = [
      await read(query, headers),
      await read(query, headers),
      await read(query, headers),
    ];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(first.headers).toMatchObject({
      'ratelimit-policy': '"fixed-window";q=2;w=3600',
      ratelimit: expect.stringMatching(/^"fixed-window";r=1;t=(3600|3599)$/) as string,
    });
    expect(first.headers['retry-after']).toBeUndefined();
    expectProblem(third, 429, 'LIMIT.EXCEEDED');
    expect(third.headers).toMatchObject({
      'ratelimit-policy': '"fixed-window";q=2;w=3600',
      ratelimit: expect.stringMatching(/^"fixed-window";r=0;t=\d+$/) as string,
      'retry-after': expect.stringMatching(/^\d+$/) as string,
    });
  });

  test('by headers means the same as by query, and both replicas count together', async () => {
    const client = newClient();
    const headers = {
      'x-client': client,
      'x-limit': 'sliding-log',
      'x-max': '4',
      'x-window-ms': String(HOUR),
    };
    const byQuery = `limit=sliding-log&max=4&windowMs=${HOUR}`;
    const both = [
      ...(await statuses(4, () => read('', headers))),
      ...(await statuses(4, () => read(byQuery, { 'x-client': client }))),
      ...(await statuses(2, () => read(byQuery, headers))),
    ];
    expect(both.filter((status) => status === 200)).toHaveLength(4);
    const decisions = (await shop().get(`/lab/inventory/decisions/${client}`, 'lab')).json as unknown as {
      replica: string;
      admitted: boolean;
    }[];
    expect(decisions).toHaveLength(10);
    expect(decisions.filter(({ admitted }) => admitted)).toHaveLength(4);
    expect(new Set(decisions.map(({ replica }) => replica)).size).toBe(2);
  });

  test('without X-Client belongs to the buyer of an order, and to the address for the rest', async () => {
    const sku = await shop().product(10);
    const query = `limit=fixed-window&max=1&windowMs=${HOUR}`;
    const buys = (buyer: string) => shop().order({ query, body: { sku, quantity: 1, buyer } });
    const [ann, bob] = [newClient(), newClient()];
    expect([(await buys(ann)).status, (await buys(ann)).status, (await buys(bob)).status]).toEqual([
      201, 429, 201,
    ]);
    const ofAddress = await statuses(2, () => read(`limit=fixed-window&max=1&windowMs=${HOUR - 1}`));
    expect(ofAddress).toEqual([200, 429]);
  });

  test('that is refused changes nothing', async () => {
    const sku = await shop().product(5);
    const query = `limit=token-bucket&max=1&burst=1&windowMs=${HOUR}`;
    const buyer = newClient();
    const order = () => shop().order({ query, body: { sku, quantity: 1, buyer } });
    expect(await statuses(6, order)).toEqual([201, 429, 429, 429, 429, 429]);
    expect(await shop().stock(sku)).toBe(4);
    expect(await shop().orders(sku)).toHaveLength(1);
  });

  test('names the options that its limiter does not use', async () => {
    const { headers } = await read('limit=sliding-log&burst=3', { 'x-client': newClient() });
    expect(headers['x-limit-ignored']).toBe('burst');
  });

  test.each(LIMITERS.map(({ name }) => name))('of %s is decided', async (name) => {
    const reply = await read(`limit=${name}&max=5&windowMs=1500`, { 'x-client': newClient() });
    expect([200, 429]).toContain(reply.status);
    // a window of 1.5 s has no `w`: the draft has whole seconds only
    expect(reply.headers['ratelimit-policy']).toBe(`"${name}";q=5`);
  });
});

describe('every endpoint of the shop', () => {
  const BY_HEADER = [
    '/orders',
    '/products/phone/movements',
    '/accounts/cafe/entries',
    '/accounts/cafe/pending',
  ];
  test.each([...BY_HEADER, '/products', '/products/phone', '/accounts', '/accounts/cafe'])(
    'GET %s',
    async (path) => {
      const headers = {
        'x-client': newClient(),
        'x-limit': 'fixed-window',
        'x-max': '1',
        'x-window-ms': String(HOUR),
      };
      const get = () => read('', headers, path);
      expect([(await get()).status, (await get()).status]).toEqual([200, 429]);
    },
  );

  test('a page keeps its own `limit`', async () => {
    expect((await read('limit=1', {}, '/orders')).status).toBe(200);
    expectProblem(await read('limit=fixed-window', {}, '/orders'), 400, 'REQUEST.INVALID');
  });

  test('an entry of an account, and a health check that takes none', async () => {
    const headers = { 'x-client': newClient(), 'content-type': 'application/json' };
    const enter = () =>
      shop().send(`${shop().url('public')}/accounts/cafe/entries?limit=sliding-log&max=1`, 'POST', {
        headers,
        body: '{"amountMinor":1}',
      });
    expect([(await enter()).status, (await enter()).status]).toEqual([201, 429]);
    expectProblem(await read('', { 'x-limit': 'sliding-log' }, '/health/live'), 400, 'REQUEST.INVALID');
  });
});

/** Rows and keys, without the limits of the clients of earlier tests, which expire. */
async function shownState(): Promise<object> {
  const { locks, ...rows } = await shop().everything();
  return { ...rows, locks: locks.filter((key) => !key.startsWith('limit:{client-')) };
}

describe('bad input', () => {
  const BAD: readonly (readonly [string, Record<string, string>, string])[] = [
    ['limit=nope', {}, 'LIMIT.UNKNOWN'],
    ['limit=', {}, 'LIMIT.UNKNOWN'],
    ['limit=100', {}, 'LIMIT.UNKNOWN'],
    ['limit=sliding-log&max=0', {}, 'REQUEST.INVALID'],
    ['limit=sliding-log&max=-1', {}, 'REQUEST.INVALID'],
    ['limit=sliding-log&max=1e3', {}, 'REQUEST.INVALID'],
    ['limit=sliding-log&max=1000001', {}, 'REQUEST.INVALID'],
    ['limit=sliding-log&windowMs=9', {}, 'REQUEST.INVALID'],
    ['limit=sliding-log&windowMs=3600001', {}, 'REQUEST.INVALID'],
    ['limit=token-bucket&burst=0', {}, 'REQUEST.INVALID'],
    ['limit=sliding-log&onError=maybe', {}, 'REQUEST.INVALID'],
    ['limit=sliding-log&limit=fixed-window', {}, 'REQUEST.INVALID'],
    ['limit=sliding-log', { 'x-limit': 'fixed-window' }, 'REQUEST.INVALID'],
    ['limit=sliding-log&max=3', { 'x-max': '4' }, 'REQUEST.INVALID'],
    ['max=5', {}, 'REQUEST.INVALID'],
    ['', { 'x-max': '5' }, 'REQUEST.INVALID'],
    ['limit=sliding-log', { 'x-client': 'a\tb' }, 'REQUEST.INVALID'],
    ['limit=sliding-log', { 'x-client': 'x'.repeat(65) }, 'REQUEST.INVALID'],
  ];
  test.each(BAD)('?%s with %j is refused with %s, and nothing changes', async (query, headers, code) => {
    const sku = await shop().product(3);
    const before = await shownState();
    const url = `${shop().url('public')}/orders?${query}`;
    const reply = await shop().post(url, { body: { sku, quantity: 1, buyer: 'ann' }, headers });
    expectProblem(reply, 400, code);
    if (code === 'LIMIT.UNKNOWN')
      expect(reply.json['detail']).toContain(LIMITERS.map(({ name }) => name).join(', '));
    expect(await shownState()).toEqual(before);
  });
});

describe('without Redis', () => {
  const query = (onError: string) => `limit=fixed-window&max=1&windowMs=${HOUR}&onError=${onError}`;

  test.each(['kill', 'pause'] as const)(
    '%s: closed refuses with 503, open admits and says so',
    async (fault) => {
      const sku = await shop().product(9);
      const buy = (onError: string) =>
        shop().order({ query: query(onError), body: { sku, quantity: 1, buyer: newClient() } });
      await shop().stack[fault]('redis');
      const closed = await buy('closed');
      const open = [await buy('open'), await read(query('open'), { 'x-client': newClient() })];
      const unlimited = await shop().order({ sku });
      await (fault === 'kill' ? shop().stack.restart('redis') : shop().stack.resume('redis'));
      expectProblem(closed, 503, 'DEPENDENCY.DOWN');
      expect(closed.headers['retry-after']).toBe('1');
      expect(open.map(({ status }) => status)).toEqual([201, 200]);
      for (const { headers } of open) {
        expect(headers['x-limit-not-enforced']).toBe('DEPENDENCY.DOWN');
        expect(headers['ratelimit']).toBeUndefined();
      }
      expect(unlimited.status).toBe(201);
      expect(await shop().orders(sku)).toHaveLength(2);
      await eventually('the limit is enforced again', async () => (await buy('closed')).status === 201);
    },
  );
});

describe('a fault in the decision', () => {
  test('is accepted by a request with a limit, and hits its limiter', async () => {
    const headers = { 'x-client': newClient(), 'x-fault': 'before(EVALSHA)=error' };
    const at = `${shop().url('lab')}/products/phone`;
    const limited = await shop().send(`${at}?limit=sliding-log`, 'GET', { headers });
    expectProblem(limited, 503, 'DEPENDENCY.DOWN');
    expectProblem(await shop().send(at, 'GET', { headers }), 400, 'FAULT.UNSUPPORTED');
    const lines = readdirSync(shop().stack.historyDir).flatMap((file) =>
      readFileSync(join(shop().stack.historyDir, file), 'utf8').split('\n'),
    );
    expect(lines.some((line) => line.includes('"type":"fault"') && line.includes('log-request'))).toBe(true);
  });
});
