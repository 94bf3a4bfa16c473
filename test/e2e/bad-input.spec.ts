import { CATALOGUE } from '#lab/strategy';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expectProblem, openShop, type OrderInput } from './support';

const shop = openShop('bad-input');
const good = { sku: 'phone', quantity: 1, buyer: 'ann' };
const without = (name: keyof typeof good) => ({ ...good, [name]: undefined });

let before: unknown;
beforeAll(async () => {
  before = await shop().everything();
});
/** No request of this file changes stock, movements, orders or keys. */
afterEach(async () => {
  expect(await shop().everything()).toEqual(before);
});

const INVALID: readonly (readonly [string, OrderInput])[] = [
  ['an option below its range', { query: 'strategy=setnx&leaseMs=9' }],
  ['an option above its range', { query: 'strategy=setnx&workMs=10001' }],
  ['a negative option', { query: 'strategy=setnx&workMs=-5' }],
  ['an option that is no number', { query: 'strategy=setnx&workMs=soon' }],
  ['a fractional option', { query: 'strategy=setnx&workMs=1.5' }],
  ['an empty option', { query: 'strategy=setnx&workMs=' }],
  ['a hexadecimal option', { query: 'strategy=setnx&workMs=0x5' }],
  ['an infinite option', { query: 'strategy=setnx&workMs=Infinity' }],
  ['an unknown way to wait', { query: 'strategy=token-lua&wait=sleep' }],
  ['an unknown option', { query: 'strategy=setnx&speed=1' }],
  ['an option given twice', { query: 'strategy=setnx&workMs=1&workMs=2' }],
  ['a strategy given twice', { query: 'strategy=setnx&strategy=none' }],
  ['an option of the prototype', { query: '__proto__=1&constructor=2' }],
  ['an option out of range in a header', { headers: { 'x-lease-ms': '1' } }],
  ['no quantity', { body: without('quantity') }],
  ['quantity 0', { body: { ...good, quantity: 0 } }],
  ['a negative quantity', { body: { ...good, quantity: -1 } }],
  ['a fractional quantity', { body: { ...good, quantity: 1.5 } }],
  ['a quantity over the limit', { body: { ...good, quantity: 1001 } }],
  ['an infinite quantity', { body: '{"sku":"phone","quantity":1e999,"buyer":"ann"}' }],
  ['a quantity as text', { body: { ...good, quantity: '1' } }],
  ['a quantity as a list', { body: { ...good, quantity: [1] } }],
  ['no sku', { body: without('sku') }],
  ['an empty sku', { body: { ...good, sku: '' } }],
  ['a sku that looks like SQL', { body: { ...good, sku: "phone' OR '1'='1" } }],
  ['a sku that looks like a path', { body: { ...good, sku: '../../lab/inventory/reset' } }],
  ['a sku that ends in a line feed', { body: { ...good, sku: 'phone\n' } }],
  ['a sku of 65 characters', { body: { ...good, sku: 'x'.repeat(65) } }],
  ['no buyer', { body: without('buyer') }],
  ['a buyer of 65 characters', { body: { ...good, buyer: 'x'.repeat(65) } }],
  ['a buyer of 10,000 characters', { body: { ...good, buyer: 'x'.repeat(10_000) } }],
  ['a buyer with emoji', { body: { ...good, buyer: 'ann 🛒' } }],
  ['a buyer with a null byte', { body: { ...good, buyer: 'ann\0' } }],
  ['an unknown field', { body: { ...good, price: 0 } }],
  ['a field of the prototype', { body: '{"sku":"phone","quantity":1,"buyer":"ann","__proto__":{"x":1}}' }],
  [
    'a constructor with a prototype',
    { body: '{"sku":"phone","quantity":1,"buyer":"ann","constructor":{"prototype":{"x":1}}}' },
  ],
  ['broken JSON', { body: '{"sku":"phone",' }],
  ['no JSON at all', { body: '' }],
  ['a list', { body: '[]' }],
  ['null', { body: 'null' }],
];

test.each(INVALID)('is refused as invalid: %s', async (_, asked) => {
  expectProblem(await shop().order({ body: good, ...asked }), 400, 'REQUEST.INVALID');
});

test('an unknown strategy is refused with the list of the known ones', async () => {
  const replies = [
    await shop().order({ body: good, query: 'strategy=redlock-9000' }),
    await shop().order({ body: good, headers: { 'x-strategy': 'constructor' } }),
    await shop().order({ body: good, query: 'strategy=' }),
  ];
  for (const reply of replies) {
    expectProblem(reply, 400, 'STRATEGY.UNKNOWN');
    expect(reply.json['detail']).toContain('none, local-mutex, ');
  }
});

test.each(['nothing', 'PHONE', '.', '..', '__proto__'])('there is no product "%s"', async (sku) => {
  expectProblem(await shop().order({ sku }), 404, 'STOCK.UNKNOWN_SKU');
});

// the reply of single-writer expires by itself
const STANDALONE = CATALOGUE.filter(({ name, needs = [] }) => needs.length === 0 && name !== 'single-writer');
test.each(STANDALONE.map(({ name }) => name))(
  'an order for an unknown product under %s leaves nothing behind',
  async (strategy) => {
    const reply = await shop().order({ sku: 'nothing', query: `strategy=${strategy}&waitMs=100` });
    expectProblem(reply, 404, 'STOCK.UNKNOWN_SKU');
  },
);

test.each(['-5', '1.5', 'abc', '10001'])('the error for workMs=%s has the range', async (value) => {
  const { json } = await shop().order({ body: good, query: `strategy=setnx&workMs=${value}` });
  expect(json['detail']).toMatch(/^✖ a whole number from 0 to 10000 +→ at workMs$/);
});

// curl sends the second one when it is not given a type
test.each(['application/xml', 'application/x-www-form-urlencoded', 'text/plain'])(
  'an order as %s is refused with the type to send',
  async (type) => {
    const reply = await shop().order({ body: good, headers: { 'content-type': type } });
    expectProblem(reply, 415, 'REQUEST.MEDIA_TYPE');
    expect(reply.json['detail']).toContain("-H 'Content-Type: application/json'");
  },
);

describe('oversized requests are refused', () => {
  const large = JSON.stringify({ ...good, buyer: 'x'.repeat(16 * 1024) });

  test('a body, by nginx', async () => {
    expectProblem(await shop().order({ body: large }), 413, 'REQUEST.TOO_LARGE');
  });

  test('a body, by the apps', async () => {
    const [order, inventory] = [await shop().replica('order-1'), await shop().replica('inventory-1')];
    const path = '/products/phone/deductions';
    expectProblem(await shop().post(`${order.url}/orders`, { body: large }), 413, 'REQUEST.TOO_LARGE');
    expectProblem(await shop().post(`${inventory.url}${path}`, { body: large }), 413, 'REQUEST.TOO_LARGE');
  });

  test('one header, or all headers together', async () => {
    const one = { 'x-a': 'a'.repeat(9000) };
    const many = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [`x-${name}`, 'a'.repeat(3500)]));
    for (const headers of [one, many])
      expectProblem(await shop().order({ body: good, headers }), 400, 'REQUEST.INVALID');
  });

  test('a request line', async () => {
    expectProblem(await shop().get(`/orders?sku=${'x'.repeat(9000)}`), 414, 'REQUEST.URI_TOO_LONG');
  });
});

describe('unknown paths', () => {
  test.each(['/', '/nothing', '/lab', '/orders/7', '/products/phone/nothing', '/health/nothing', '/docsx'])(
    'on the public address: %s',
    async (path) => {
      expectProblem(await shop().get(path), 404, 'REQUEST.NOT_FOUND');
    },
  );

  test.each(['/nothing', '/lab/nothing', '/lab/inventory/nothing'])(
    'on the lab address: %s',
    async (path) => {
      expectProblem(await shop().get(path, 'lab'), 404, 'REQUEST.NOT_FOUND');
    },
  );

  test('the root of each address names what that address serves', async () => {
    const [atPublic, atLab] = [await shop().get('/'), await shop().get('/', 'lab')];
    expectProblem(atLab, 404, 'REQUEST.NOT_FOUND');
    expect(atPublic.json['detail']).toMatch(/on the lab address only/);
    expect(atLab.json['detail']).toMatch(/\/lab\/.* x-fault here/);
    expect(atLab.json['detail']).not.toMatch(/on the lab address only/);
  });

  test('on the internal address', async () => {
    const { inventory } = shop().stack.urls;
    expectProblem(await shop().send(`${inventory}/nothing`, 'GET', {}), 404, 'REQUEST.NOT_FOUND');
  });

  test.each([
    ['PUT', '/orders', 'GET, HEAD, POST'],
    ['PATCH', '/orders', 'GET, HEAD, POST'],
    ['DELETE', '/orders', 'GET, HEAD, POST'],
    ['POST', '/health/ready?x=1', 'GET, HEAD'],
  ])('the method %s of %s is refused with those that the path has', async (method, path, allowed) => {
    const reply = await shop().send(`${shop().url('public')}${path}`, method, {});
    expectProblem(reply, 405, 'REQUEST.METHOD_NOT_ALLOWED');
    expect(reply.headers['allow']).toBe(allowed);
  });

  test.each(['/products/%zz', '/products/%00', '/orders?limit=0', '/orders?limit=x', '/orders?after=-1'])(
    '%s is refused as invalid',
    async (path) => {
      expectProblem(await shop().get(path), 400, 'REQUEST.INVALID');
    },
  );

  test('a request that is not HTTP is refused with a problem document too', async () => {
    const { hostname, port } = new URL(shop().url('public'));
    const socket = connect(Number(port), hostname);
    socket.end('POST /orders HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n');
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toContain('Content-Type: application/problem+json');
    expect(answer).toContain('"code":"REQUEST.INVALID"');
  });
});

describe('the public address has no lab endpoints', () => {
  test.each([
    ['/lab/reset', { sku: 'phone', stock: 7 }],
    ['/lab/inventory/reset', { sku: 'phone', stock: 7 }],
    ['/lab/inventory/reconcile', { sku: 'phone' }],
    ['/lab/order/reconcile', {}],
    ['/deductions', { lines: [{ sku: 'phone', quantity: 1 }] }],
    ['/deductions/some-id/closing', { lines: [{ sku: 'phone', quantity: 1 }] }],
    ['//lab/reset', { sku: 'phone', stock: 7 }],
    ['/orders/../lab/reset', { sku: 'phone', stock: 7 }],
    ['/%6cab/reset', { sku: 'phone', stock: 7 }],
  ])('POST %s', async (path, body) => {
    const { status } = await shop().post(`${shop().url('public')}${path}`, { body });
    expect(status).toBe(404);
  });

  test('deductions are not available to buyers on either address', async () => {
    for (const at of ['public', 'lab'] as const)
      for (const path of ['/products/phone/deductions', '/products/phone/deductions/']) {
        const reply = await shop().post(`${shop().url(at)}${path}`, { body: { quantity: 1 } });
        expectProblem(reply, 405, 'REQUEST.METHOD_NOT_ALLOWED');
      }
  });

  test('the public address refuses a fault before its syntax is checked', async () => {
    const reply = await shop().order({ at: 'public', body: { ...good, sku: 'nothing' }, fault: 'nonsense' });
    expectProblem(reply, 403, 'FAULT.DISABLED');
  });
});

test.each([
  'nonsense',
  'after(SETNX)',
  'after(SETNX)=explode',
  'after(SETNX)=kill(3)',
  'before(DEL)=pause',
  'before(DEL)=pause(0)',
  'before(DEL)=pause(30001)',
  'before(DEL)=lose-reply',
  'after(SET#0)=kill',
  'payment:after(SET)=kill',
  'after(SET)=kill;'.repeat(5),
])('the lab address rejects the malformed fault %s', async (fault) => {
  const reply = await shop().order({ body: good, fault });
  expectProblem(reply, 400, 'FAULT.SYNTAX');
  expect(reply.json['detail']).toContain('for example after(SETNX)=kill');
});

test.each([
  ['no sku', {}, 400, 'REQUEST.INVALID'],
  ['an unknown field', { sku: 'phone', force: true }, 400, 'REQUEST.INVALID'],
  ['an unknown product', { sku: 'nothing' }, 404, 'STOCK.UNKNOWN_SKU'],
])('a reconciliation is refused: %s', async (_, body, status, code) => {
  expectProblem(await shop().post(`${shop().url('lab')}/lab/inventory/reconcile`, { body }), status, code);
});

test.each([
  ['a negative time', { silentMs: -1 }],
  ['a value that is not a number', { silentMs: 'soon' }],
  ['an unknown field', { force: true }],
])('a round of the order reconciler is refused: %s', async (_, body) => {
  const reply = await shop().post(`${shop().url('lab')}/lab/order/reconcile`, { body });
  expectProblem(reply, 400, 'REQUEST.INVALID');
});

test.each([
  ['an invalid id', '/deductions/a%20b/closing', { lines: [{ sku: 'phone', quantity: 1 }] }],
  ['no lines', '/deductions/some-id/closing', { lines: [] }],
])('the inventory refuses to cancel a deduction: %s', async (_, path, body) => {
  const reply = await shop().post(`${shop().stack.urls.inventory}${path}`, { body });
  expectProblem(reply, 400, 'REQUEST.INVALID');
});

test('the inventory refuses a deduction with an invalid id', async () => {
  const reply = await shop().post(`${shop().stack.urls.inventory}/products/phone/deductions`, {
    body: { quantity: 1 },
    headers: { 'x-deduction-id': 'a b' },
  });
  expectProblem(reply, 400, 'REQUEST.INVALID');
});

test.each([
  ['a negative stock', { sku: 'phone', stock: -1 }],
  ['a stock beyond the limit', { sku: 'phone', stock: 1_000_001 }],
  ['an unknown field', { sku: 'phone', stock: 1, force: true }],
  ['no sku', { stock: 1 }],
])('a reset is refused as invalid: %s', async (_, body) => {
  expectProblem(await shop().post(`${shop().url('lab')}/lab/reset`, { body }), 400, 'REQUEST.INVALID');
});
