import { CATALOGUE, sellsCarts } from '#lab/strategy';
import { expectProblem, openShop, type Reply, UNRECORDED } from './support';

const shop = openShop('carts');

/** Creates two products for one test, with the given stock. */
const products = async (first: number, second = first): Promise<[string, string]> => [
  await shop().product(first),
  await shop().product(second),
];

const line = (sku: string, quantity = 1) => ({ sku, quantity });
const buy = (skus: readonly string[], query = '', more: object = {}): Promise<Reply> =>
  shop().order({ query, body: { lines: skus.map((sku) => line(sku)), buyer: 'ann' }, ...more });

test('a cart is one order with one line and one movement per product, under one request id', async () => {
  const [a, b] = await products(5);
  const { status, json } = await shop().order({
    body: { lines: [line(b, 2), line(a)], buyer: 'Zoë' },
    headers: { 'x-request-id': 'first-cart' },
  });
  expect({ status, json }).toMatchObject({
    status: 201,
    json: {
      lines: [
        { sku: a, quantity: 1, stockAfter: 4 },
        { sku: b, quantity: 2, stockAfter: 3 },
      ],
      buyer: 'Zoë',
      request: 'first-cart',
      strategy: 'conditional-update',
    },
  });
  const rows = [...(await shop().orders(a)), ...(await shop().orders(b))];
  expect(rows).toMatchObject([
    { id: json['id'], sku: a, quantity: 1, request: 'first-cart' },
    { id: json['id'], sku: b, quantity: 2, request: 'first-cart' },
  ]);
  const movements = [...(await shop().movements(a)), ...(await shop().movements(b))];
  expect(movements).toMatchObject([
    { balance: a, delta: -1, before: 5, after: 4, request: 'first-cart' },
    { balance: b, delta: -2, before: 5, after: 3, request: 'first-cart' },
  ]);
  for (const sku of [a, b])
    expect((await shop().history(sku)).filter(({ type }) => type === 'request')).toHaveLength(2);
});

describe.each(CATALOGUE.filter(sellsCarts))('under $name', ({ name }) => {
  test('a cart with a sold-out product names it and takes nothing', async () => {
    const [a, b] = await products(2, 1);
    expect((await buy([a, b], `strategy=${name}`)).status).toBe(201);
    const refused = await buy([a, b], `strategy=${name}`);
    expectProblem(refused, 409, 'STOCK.SOLD_OUT');
    expect(refused.json['detail']).toContain(`${b}: 1 wanted`);
    expect([await shop().stock(a), await shop().stock(b)]).toEqual([1, 0]);
    for (const sku of [a, b]) {
      expect(await shop().movements(sku)).toHaveLength(1);
      expect(await shop().orders(sku)).toHaveLength(1);
      expect((await shop().get(`/lab/inventory/locks/${sku}`, 'lab')).json).toEqual([]);
    }
  });

  test('a cart with an unknown product takes nothing', async () => {
    const sku = await shop().product(1);
    expectProblem(await buy([sku, 'zzz-nothing'], `strategy=${name}`), 404, 'STOCK.UNKNOWN_SKU');
    expect(await shop().stock(sku)).toBe(1);
  });
});

test('an order that cannot be recorded is recorded in no line', async () => {
  const [a, b] = await products(1);
  const lost = await buy([a, b], '', { fault: UNRECORDED });
  expectProblem(lost, 502, 'OUTCOME_UNKNOWN');
  for (const sku of [a, b]) {
    expect(await shop().orders(sku)).toEqual([]);
    expect(await shop().movements(sku)).toHaveLength(1);
  }
});

test('a strategy that sells one product at a time refuses a cart and names the strategies that sell carts', async () => {
  const [a, b] = await products(1);
  const refused = await buy([a, b], 'strategy=expiring');
  expectProblem(refused, 400, 'STRATEGY.NO_CARTS');
  expect(refused.json['detail']).toMatch(
    /choose one of: multi-unsorted, multi, .*for-update.*conditional-update/,
  );
  expect((await shop().history(a)).some(({ type }) => type === 'request')).toBe(false);
  const replica = await shop().replica('inventory-1');
  const body = { lines: [line(a)] };
  const internal = await shop().post(`${replica.url}/deductions?strategy=expiring`, { body });
  expectProblem(internal, 400, 'STRATEGY.NO_CARTS');
});

test.each([
  ['no line', [], /at least one line/],
  ['21 lines', Array.from({ length: 21 }, (_, i) => line(`sku-${i}`)), /at most 20 lines/],
  [
    'a product twice',
    [line('phone'), line('case'), line('phone', 2)],
    /"phone" is in this cart more than once.*lines\[2\]/,
  ],
  ['a quantity of 0', [line('phone', 0)], /lines\[0\]\.quantity/],
  ['a line with an unknown field', [{ ...line('phone'), price: 1 }], /price/],
  ['not a list', 'phone', /lines/],
])('a cart is refused as invalid: %s', async (_, lines, detail) => {
  const reply = await shop().order({ body: { lines, buyer: 'ann' } });
  expectProblem(reply, 400, 'REQUEST.INVALID');
  expect(reply.json['detail']).toMatch(detail);
});

test('a cart and a single product at once are refused', async () => {
  const reply = await shop().order({ body: { lines: [line('phone')], ...line('phone'), buyer: 'ann' } });
  expectProblem(reply, 400, 'REQUEST.INVALID');
});

test('an invalid single product is reported as such, not as an invalid cart', async () => {
  const reply = await shop().order({ body: { sku: 'a b', quantity: 1, buyer: 'ann' } });
  expectProblem(reply, 400, 'REQUEST.INVALID');
  expect(reply.json['detail']).toMatch(/a SKU has 1 to 64/);
});

test('the deduction of a cart is not available to buyers on either address', async () => {
  for (const at of ['public', 'lab'] as const) {
    const reply = await shop().post(`${shop().url(at)}/deductions`, { body: { lines: [line('phone')] } });
    expectProblem(reply, 404, 'REQUEST.NOT_FOUND');
  }
});

test('OpenAPI documents an order as one product or a cart', async () => {
  const { json } = await shop().get('/docs-json');
  const text = JSON.stringify(json);
  expect(text).toContain(
    '"oneOf":[{"$ref":"#/components/schemas/OrderBody"},{"$ref":"#/components/schemas/CartBody"}]',
  );
  expect(text).toContain('"CartBody":{"type":"object","properties":{"lines":{"minItems":1,"maxItems":20');
});
