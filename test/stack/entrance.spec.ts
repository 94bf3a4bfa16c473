import { type Stack, startProcesses } from '#lab/stack';
import { call, callRaw, options } from './support';

describe('routing by nginx', () => {
  let stack: Stack;
  let lab: string;

  beforeAll(async () => {
    stack = await startProcesses(options({ order: 1, inventory: 1 }));
    lab = stack.urls.lab ?? '';
  });
  afterAll(() => stack.stop());

  const faultHeader = { headers: { 'x-fault': 'after(SETNX)=kill' } };

  it('public: sends orders, docs and health to order, products to inventory', async () => {
    const at = async (path: string) => (await call(`${stack.urls.public}${path}`)).json.replica;
    expect(await at('/orders')).toBe('order-1');
    expect(await at('/orders/7?x=1')).toBe('order-1');
    expect(await at('/docs-json')).toBe('order-1');
    expect(await at('/health/ready')).toBe('order-1');
    expect(await at('/products')).toBe('inventory-1');
    expect(await at('/products/P-1/movements')).toBe('inventory-1');
  });

  it('public: refuses a request with a fault header, whatever its path, and passes one with an empty header without it', async () => {
    for (const path of ['/orders', '/products', '/nope', '/lab/reset', '/problem/malformed']) {
      const { status, type, json } = await call(`${stack.urls.public}${path}`, {
        method: 'POST',
        ...faultHeader,
      });
      const isRefused = path === '/problem/malformed' || (status === 403 && json.code === 'FAULT.DISABLED');
      expect({ path, type, isRefused }).toEqual({ path, type: 'application/problem+json', isRefused: true });
    }
    const empty = { method: 'POST', headers: { 'x-fault': '' } };
    const { json } = await call(`${stack.urls.public}/orders`, empty);
    expect(json.headers).not.toHaveProperty('x-fault');
  });

  it('public: a request that nginx cannot read is refused as such, also with a fault header', async () => {
    const { status, type, json } = await call(`${stack.urls.public}/orders`, {
      headers: { ...faultHeader.headers, 'x-long': 'x'.repeat(5000) },
    });
    expect({ status, type, code: json.code }).toEqual({
      status: 400,
      type: 'application/problem+json',
      code: 'REQUEST.INVALID',
    });
  });

  it.each([
    '/',
    '/lab',
    '/lab/faults',
    '/lab/inventory/reset',
    '//lab',
    '/orders/../lab',
    '/orders/%2e%2e%2flab',
    '/ordersx',
    '/nginx/worker',
  ])('public: does not serve %s', async (path) => {
    const { status, type, json } = await callRaw(stack.urls.public, path);
    expect({ status, type, code: json.code }).toEqual({
      status: 404,
      type: 'application/problem+json',
      code: 'REQUEST.NOT_FOUND',
    });
  });

  it('public: products are read-only', async () => {
    const { status, type } = await call(`${stack.urls.public}/products/P-1`, { method: 'DELETE' });
    expect({ status, type }).toEqual({ status: 405, type: 'application/problem+json' });
  });

  it('lab: passes a fault header, and has the endpoints of both apps', async () => {
    expect((await call(`${lab}/orders`, faultHeader)).json.headers).toMatchObject({
      'x-fault': 'after(SETNX)=kill',
    });
    expect((await call(`${lab}/lab/reset`)).json).toMatchObject({ replica: 'order-1', url: '/lab/reset' });
    expect((await call(`${lab}/lab/inventory/reset`)).json).toMatchObject({ replica: 'inventory-1' });
  });

  it('inventory: passes every request, including fault headers', async () => {
    const { json } = await call(`${stack.urls.inventory}/deductions`, { method: 'POST', ...faultHeader });
    expect(json).toMatchObject({
      replica: 'inventory-1',
      url: '/deductions',
      headers: { 'x-fault': 'after(SETNX)=kill' },
    });
  });

  it('keeps a request id, and generates a missing one', async () => {
    const sent = await call(`${stack.urls.public}/orders`, { headers: { 'x-request-id': 'mine' } });
    expect(sent.json.headers?.['x-request-id']).toBe('mine');
    const made = await call(`${stack.urls.public}/orders`);
    expect(made.json.headers?.['x-request-id']).toMatch(/^[0-9a-f]{32}$/);
  });

  it('rejects a body over 16 KiB with a problem document', async () => {
    const { status, type, json } = await call(`${stack.urls.public}/orders`, {
      method: 'POST',
      body: 'x'.repeat(16_385),
    });
    expect({ status, type, code: json.code }).toEqual({
      status: 413,
      type: 'application/problem+json',
      code: 'REQUEST.TOO_LARGE',
    });
  });

  it('answers OUTCOME_UNKNOWN when the replica dies during the request', async () => {
    const { status, type, json } = await call(`${stack.urls.public}/orders/die`, { method: 'POST' });
    expect({ status, type, code: json.code }).toEqual({
      status: 502,
      type: 'application/problem+json',
      code: 'OUTCOME_UNKNOWN',
    });
    await stack.ready();
  });

  it('passes a 502 of the apps unchanged', async () => {
    const { status, json } = await call(`${stack.urls.inventory}/own-502`);
    expect({ status, code: json.code }).toEqual({ status: 502, code: 'OWN' });
  });
});

it('a request that a dead replica does not accept goes to the next one, also a POST', async () => {
  const stack = await startProcesses(options({ order: 2, inventory: 0 }));
  try {
    await call(`${stack.urls.public}/orders/die`, { method: 'POST' });
    const statuses: number[] = [];
    for (let i = 0; i < 20; i++)
      statuses.push((await call(`${stack.urls.public}/orders`, { method: 'POST' })).status);
    expect(new Set(statuses)).toEqual(new Set([200]));
  } finally {
    await stack.stop();
  }
});

it('there is no lab address when the lab is disabled', async () => {
  const stack = await startProcesses(options({ order: 1, inventory: 0 }, { lab: false }));
  try {
    expect(stack.urls).not.toHaveProperty('lab');
    expect((await call(`${stack.urls.public}/orders`)).json.environment?.['LAB_ENABLED']).toBe('false');
    expect((await call(`${stack.urls.public}/products`)).status).toBe(502);
  } finally {
    await stack.stop();
  }
});
