import {
  PATH_ENCODINGS,
  endpointsOf,
  exchange,
  FAULT_HEADERS,
  FORBIDDEN_FAULTS,
  isLab,
  minimal,
  toBytes,
  type FuzzResponse,
  type Endpoint,
  type OpenApi,
} from '#load-tests/fuzz';
import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { connect } from 'node:net';
import { openShop } from './support';
import { unboundedIn } from './unbounded';

const shop = openShop('surface', { replicas: { order: 2, inventory: 2, account: 2 } });
const shopWithoutLab = openShop('surface-labless', {
  lab: false,
  replicas: { order: 1, inventory: 1, account: 1 },
});

let endpoints: readonly Endpoint[];
beforeAll(async () => {
  const documents = await Promise.all(
    ['order', 'inventory', 'account'].map(async (app) => ({
      app,
      document: (await shop().get(`/docs/${app}.json`)).json as unknown as OpenApi,
    })),
  );
  endpoints = documents.flatMap(({ app, document }) => endpointsOf(app, document));
});

/** A request that the lab address would accept. */
function validRequest({ method, path, parameters, body, resolve }: Endpoint): {
  method: string;
  path: string;
  body: string | undefined;
} {
  return {
    method,
    path: path.replace(/\{([^}]+)\}/g, (_, field: string) => {
      const [choice] = parameters.find(({ name }) => name === field)?.schema?.enum ?? [];
      return typeof choice === 'string' ? choice : 'phone';
    }),
    body: body && JSON.stringify(minimal(body.schema, 'phone', resolve)),
  };
}

interface Raw {
  readonly type?: string | undefined;
  readonly target: string;
  readonly method: string;
  readonly body?: string | undefined;
  readonly headers?: readonly (readonly [string, string])[];
}

function sendTo(
  url: string,
  { target, method, body, type: mediaType = 'application/json', headers = [] }: Raw,
): Promise<FuzzResponse> {
  const type = body === undefined ? [] : [['Content-Type', mediaType] as const];
  const message = {
    method,
    target,
    headers: [...type, ...headers],
    body: body === undefined ? undefined : Buffer.from(body),
  };
  return exchange(url, toBytes(message, new URL(url).host));
}

function expectRefusal({ status, headers, body }: FuzzResponse, request: string): void {
  expect({ request, status: String(status), type: headers['content-type'], body }).toEqual({
    request,
    status: expect.stringMatching(/^40[045]$/) as string,
    type: expect.stringMatching(/^application\/problem\+json/) as string,
    body: expect.stringContaining('"code":"REQUEST.') as string,
  });
}

describe('the endpoints of the lab address', () => {
  test('are listed in the OpenAPI documents: reset, history, locks and more', () => {
    const names = endpoints.filter(isLab).map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['POST /lab/reset', 'GET /lab/history/{sku}', 'POST /lab/inventory/reconcile']),
    );
  });

  test('work there', async () => {
    const isReset = ({ name }: Endpoint): boolean => name.endsWith('/reset');
    const inOrder = [
      ...endpoints.filter(isReset),
      ...endpoints.filter((endpoint) => isLab(endpoint) && !isReset(endpoint)),
    ];
    for (const endpoint of inOrder) {
      const { path, ...asked } = validRequest(endpoint);
      const { status } = await sendTo(shop().url('lab'), { target: path, ...asked });
      expect({ endpoint: endpoint.name, status }).toEqual({ endpoint: endpoint.name, status: 200 });
    }
  });

  test.each(['order-1', 'inventory-2', 'account-1'])(
    'report the process of %s at its own address',
    async (name) => {
      const { url, pid } = await shop().replica(name);
      const { status, json } = await shop().send(`${url}/lab/process`, 'GET', {});
      expect(status).toBe(200);
      expect(json).toMatchObject({ pid, heapBytes: expect.any(Number) as number });
      expect(Object.keys(json['resources'] as object)).not.toEqual([]);
    },
  );

  test('do not exist on the public address in any spelling, and nothing changes', async () => {
    const before = await shop().everything();
    const url = shop().url('public');
    const { host } = new URL(shop().url('lab'));
    for (const endpoint of endpoints.filter(isLab)) {
      const { path, ...asked } = validRequest(endpoint);
      const plain = await sendTo(url, { target: path, ...asked });
      expect(plain.status).toBe(404);
      expectRefusal(plain, endpoint.name);
      const targets = [
        ...PATH_ENCODINGS.map((encode) => encode(path)),
        `http://${host}${path}`,
        `http://lab${path}`,
      ];
      for (const target of targets)
        expectRefusal(await sendTo(url, { target, ...asked }), `${endpoint.method} ${target}`);
      for (const headers of [
        [['Host', host]],
        [['Host', 'lab']],
        [['X-Original-URL', path]],
        [['X-Forwarded-Prefix', '/lab']],
      ] as const)
        expectRefusal(
          await sendTo(url, { target: path, ...asked, headers }),
          `${endpoint.name} ${headers.join()}`,
        );
    }
    expect(await shop().everything()).toEqual(before);
  });

  test('do not exist when the lab is disabled, neither in nginx nor in the apps', async () => {
    const before = await shopWithoutLab().everything();
    const { public: publicUrl, inventory } = shopWithoutLab().stack.urls;
    const replicas = (await shopWithoutLab().stack.replicas()).map(({ url }) => url);
    for (const url of [publicUrl, inventory, ...replicas])
      for (const endpoint of endpoints.filter(isLab)) {
        const { path, ...asked } = validRequest(endpoint);
        const answer = await sendTo(url, { target: path, ...asked });
        expect({ at: url, endpoint: endpoint.name, status: answer.status }).toEqual({
          at: url,
          endpoint: endpoint.name,
          status: 404,
        });
        expectRefusal(answer, endpoint.name);
      }
    expect(await shopWithoutLab().everything()).toEqual(before);
  });
});

describe('a fault from the public address', () => {
  const order = JSON.stringify({ sku: 'mug', quantity: 1, buyer: 'ann' });
  const processes = async (): Promise<unknown> =>
    (await shop().stack.replicas()).map(({ name, pid, starts }) => ({ name, pid, starts }));

  test('has no effect in any spelling of its header, and is refused in a valid one', async () => {
    const before = await processes();
    for (const fault of FORBIDDEN_FAULTS)
      for (const header of FAULT_HEADERS)
        for (const headers of [
          [[header, fault]],
          [
            [header, ''],
            [header, fault],
          ],
          [
            ['x-fault', 'nonsense'],
            [header, fault],
          ],
          [
            ['Connection', 'close, x-fault'],
            [header, fault],
          ],
        ] as const) {
          const { status } = await sendTo(shop().url('public'), {
            target: '/orders',
            method: 'POST',
            body: order,
            headers,
          });
          // a space next to the name is not valid HTTP: nginx rejects the request or drops the header, as it drops x_fault
          // of a repeated header nginx reads the first, from version 1.23 on all
          const faults = headers.filter(([name]) => /^x-fault$/i.test(name)).map(([, value]) => value);
          const [first] = faults;
          const whenFault = first === '' && faults.length > 1 ? [201, 403] : [403];
          const whenValid = first === undefined ? [201] : whenFault;
          const allowed = header.trim() === header ? whenValid : [201, 400, 403];
          expect({ header, fault, isAllowed: allowed.includes(status) }).toEqual({
            header,
            fault,
            isAllowed: true,
          });
        }
    expect(await processes()).toEqual(before);
  });
});

describe('addresses', () => {
  const listeners = (): { address: string; port: number }[] =>
    ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
        .filter(([, , , state]) => state === '0A')
        .map(([, local = '']) => {
          const [address = '', port = ''] = local.split(':');
          return { address, port: Number.parseInt(port, 16) };
        }),
    );

  test('nginx, the apps and their servers listen on 127.0.0.1 only', async () => {
    const { public: publicUrl, lab = '', inventory, redis, mysql } = shop().stack.urls;
    const replicas = (await shop().stack.replicas()).map(({ url }) => url);
    expect(replicas.length).toBeGreaterThanOrEqual(4);
    const outside = Object.values(networkInterfaces())
      .flatMap((interfaces) => interfaces ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4');
    for (const url of [publicUrl, lab, inventory, redis, mysql, ...replicas]) {
      const port = Number(new URL(url).port);
      const where = listeners().filter((listener) => listener.port === port);
      expect({ url, where }).toEqual({ url, where: [{ address: '0100007F', port }] });
      for (const { address } of outside) expect(await canConnect(address, port)).toBe(false);
    }
  });
});

const canConnect = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 1000 });
    const end = (is: boolean) => (): void => {
      socket.destroy();
      resolve(is);
    };
    socket.on('connect', end(true)).on('error', end(false)).on('timeout', end(false));
  });

describe('bounds', () => {
  test('every number, text and list that an endpoint accepts has one in its document', () => {
    expect(endpoints.flatMap(unboundedIn)).toEqual([]);
  });

  test('the options of a strategy and of a limit are all documented, with their bounds', () => {
    const order = endpoints.find(({ name }) => name === 'POST /orders');
    const bounds = order?.parameters
      .filter(({ in: place, schema }) => place === 'query' && schema?.type === 'integer')
      .map(({ name, schema }) => [name, schema?.minimum, schema?.maximum]);
    expect(bounds).toEqual([
      ['max', 1, 1_000_000],
      ['windowMs', 10, 3_600_000],
      ['burst', 0, 1_000_000],
      ['leaseMs', 10, 60_000],
      ['waitMs', 0, 30_000],
      ['retryMs', 1, 1000],
      ['workMs', 0, 10_000],
      ['attempts', 1, 100],
    ]);
  });

  test('a document without bounds is detected', () => {
    const [order] = endpoints;
    if (order === undefined) throw new Error('there is no endpoint');
    const parameters = [
      { name: 'n', in: 'query', schema: { type: 'integer', minimum: 0 } },
      { name: 'text', in: 'query', schema: { type: 'string', pattern: '^a+$' } },
      { name: 'anything', in: 'header', schema: {} },
    ];
    const schema = { type: 'object', properties: { list: { type: 'array', items: { type: 'boolean' } } } };
    const loose = { ...order, name: 'X', parameters, body: { mediaType: 'application/json', schema } };
    expect(unboundedIn(loose)).toEqual([
      'X, n',
      'X, text',
      'X, anything',
      'X, body: surplus fields',
      'X, body.list',
    ]);
  });

  test('every bound is enforced: one below and one above are refused, in the query and in the header', async () => {
    const before = await shop().everything();
    let refused = 0;
    for (const endpoint of endpoints.filter((endpoint) => !isLab(endpoint)))
      for (const { name, in: place, schema: { minimum, maximum } = {} } of endpoint.parameters) {
        if (minimum === undefined || maximum === undefined) continue;
        for (const value of [minimum - 1, maximum + 1, `${maximum}0`].map(String)) {
          const answer = await sendTo(addressOf(endpoint), {
            method: endpoint.method,
            target: `${endpoint.path.replace(/\{[^}]+\}/g, 'phone')}?${queryWith(endpoint, place === 'query' ? { [name]: value } : {}, name)}`,
            body: bodyOf(endpoint),
            type: endpoint.body?.mediaType,
            headers: [
              ['X-Batch-Id', 'b'],
              ...(place === 'header' ? [[name, value] as const, ...limiterFor(name)] : []),
            ],
          });
          expectRefusal(answer, `${endpoint.name}, ${name} ${value}`);
          expect(answer.body).toMatch(/a whole number from \d+ to \d+/);
          refused++;
        }
      }
    expect(refused).toBeGreaterThan(100);
    expect(await shop().everything()).toEqual(before);
  });
});

/** The guard that the endpoint requires, the parameter under test, and the limiter that it is an option of. */
function queryWith({ parameters }: Endpoint, tested: Record<string, string>, name: string): string {
  const guard: unknown = parameters.find((one) => one.name === 'guard')?.schema?.enum?.[0];
  return new URLSearchParams({
    ...(typeof guard === 'string' && { guard }),
    ...(/^(max|windowMs|burst)$/.test(name) && { limit: 'fixed-window' }),
    ...tested,
  }).toString();
}

/** An option of a limit in a header needs its limiter there. */
const limiterFor = (header: string): (readonly [string, string])[] =>
  /^x-(max|window-ms|burst)$/i.test(header) ? [['X-Limit', 'fixed-window']] : [];

/** Deductions are accepted on the internal address only. */
const addressOf = ({ app }: Endpoint): string =>
  app === 'inventory' ? shop().stack.urls.inventory : shop().url('public');

function bodyOf({ body, resolve }: Endpoint): string | undefined {
  return body && JSON.stringify(minimal(body.schema, 'phone', resolve));
}
