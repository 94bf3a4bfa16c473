import { eventually } from '../harness/eventually';
import { openShop } from './support';

const shop = openShop('actions', {
  replicas: { order: 0, inventory: 0, account: 2 },
  components: ['gateway'],
});

const act = (path: string, headers: Record<string, string> = {}) =>
  shop().post(`${shop().url('lab')}${path}`, { body: {}, headers });
const reset = (use: string, keys: readonly string[] = []) =>
  shop().post(`${shop().url('lab')}/lab/account/actions/reset`, { body: { use, keys } });
const effects = async (use: string) =>
  (await shop().get(`/lab/account/actions/${use}/effects`, 'lab')).json as unknown as { key: string }[];

test('an order is notified once by one request after the other, and the gateway has the message', async () => {
  await reset('notification');
  const first = await act('/orders/7/notifications?guard=outbox');
  const second = await act('/orders/7/notifications?guard=lock');
  expect([first.status, first.json['outcome']]).toEqual([201, 'done']);
  expect([second.status, second.json['outcome']]).toEqual([201, 'already-done']);
  expect((await effects('notification')).map(({ key }) => key)).toEqual(['7']);
});

test.each([
  ['/orders/7/notifications', 'REQUEST.INVALID'],
  ['/orders/7/notifications?guard=unique-key', 'GUARD.UNKNOWN'],
  ['/orders/7/notifications?guard=No%20such%20guard!', 'GUARD.UNKNOWN'],
  ['/orders/7/notifications?guard=lock&leaseMs=0', 'REQUEST.INVALID'],
  ['/orders/7/notifications?guard=lock&color=red', 'REQUEST.INVALID'],
  ['/jobs/a%20b/runs?guard=marker', 'REQUEST.INVALID'],
  ['/catalogues/a%20b/warm-ups?guard=jittered', 'REQUEST.INVALID'],
  ['/catalogues/a/warm-ups?guard=stale', 'GUARD.UNKNOWN'],
])('%s is refused with %s, and nothing is done', async (path, code) => {
  await reset('notification');
  await reset('job');
  const { status, json } = await act(path);
  expect([status, json['code']]).toEqual([400, code]);
  expect([...(await effects('notification')), ...(await effects('job'))]).toEqual([]);
});

test('a request with an unknown guard, or without one, is answered with the guards of the use, as a request names them', async () => {
  const details = await Promise.all(
    ['/order-numbers?guard=nope', '/order-numbers', '/order-numbers?guard=Max-Plus-0ne'].map(
      async (path) => (await act(path)).json['detail'],
    ),
  );
  const names = 'Choose one of: max-plus-one, ';
  expect(details).toEqual([
    expect.stringContaining(`there is no guard "nope". ${names}`),
    expect.stringContaining(`no guard: send guard or X-Guard. ${names}`),
    'there is no guard "Max-Plus-0ne". Did you mean "max-plus-one"?',
  ]);
});

test('a header and a query that disagree are refused', async () => {
  const { status, json } = await act('/order-numbers?guard=incr', { 'x-guard': 'max-plus-one' });
  expect([status, json['code']]).toEqual([400, 'REQUEST.INVALID']);
  expect(json['detail']).toBe('guard is "incr" in the query and "max-plus-one" in x-guard: send one of them');
});

test('without the gateway a notification is refused with 503, and is sent when the gateway is back', async () => {
  await reset('notification');
  await shop().stack.kill('gateway');
  const { status, json } = await act('/orders/8/notifications?guard=outbox');
  await shop().stack.restart('gateway');
  expect([status, json['code']]).toEqual([503, 'DEPENDENCY.DOWN']);
  expect(await effects('notification')).toEqual([]);
  expect((await act('/orders/8/notifications?guard=outbox')).json['outcome']).toBe('done');
  expect((await effects('notification')).map(({ key }) => key)).toEqual(['8']);
});

test('without Redis a lock is refused with 503, and guards of the database work', async () => {
  await reset('submission');
  await shop().stack.kill('redis');
  const locked = await act('/forms/1/submissions?guard=expiring-key');
  const unique = await act('/forms/1/submissions?guard=unique-key');
  await shop().stack.restart('redis');
  await eventually('both replicas use Redis again, also for the tests below', async () => {
    const forms = [2, 3, 4, 5].map((form) => act(`/forms/${form}/submissions?guard=expiring-key`));
    return (await Promise.all(forms)).every(({ status }) => status < 500);
  });
  expect([locked.status, locked.json['code']]).toEqual([503, 'DEPENDENCY.DOWN']);
  expect(unique.json['outcome']).toBe('done');
});

test('a reader receives the page, the request that built it, and for how long it has expired', async () => {
  await reset('page', ['home']);
  const built = await shop().get('/pages/home?guard=stale');
  const again = await shop().get('/pages/home?guard=stale');
  const page = { text: 'page home', builtBy: expect.any(String) as string, staleMs: 0 };
  expect(built.json).toMatchObject({ outcome: 'done', page });
  expect(again.json).toMatchObject({ outcome: 'already-done', page: built.json['page'] });
});

test('a code without a coupon is answered with null, and does not reach the database', async () => {
  await reset('coupon');
  const { status, json } = await shop().get('/coupons/NO-SUCH-CODE?guard=bloom-filter');
  const known = await shop().get('/coupons/SALE-1?guard=bloom-filter');
  expect([status, json['coupon']]).toEqual([200, null]);
  expect(known.json['coupon']).toEqual({ percent: 10 });
  expect((await effects('coupon')).map(({ key }) => key)).toEqual(['SALE-1']);
});

test('the effects of a warm-up are its pages, with the time at which each expires', async () => {
  await reset('warm-up');
  expect((await act('/catalogues/summer/warm-ups?guard=jittered')).status).toBe(201);
  const pages = (await effects('warm-up')) as unknown as { expiresAt: number }[];
  expect(new Set(pages.map(({ expiresAt }) => expiresAt)).size).toBeGreaterThan(50);
});

test.each([{ expiresInMs: -1 }, { expiresInMs: 1.5 }, { buildMs: '100' }, { freshMs: 1 }])(
  'a reset with %j is refused with 400',
  async (wrong) => {
    const body = { use: 'page', keys: ['home'], ...wrong };
    const { status, json } = await shop().post(`${shop().url('lab')}/lab/account/actions/reset`, { body });
    expect([status, json['code']]).toEqual([400, 'REQUEST.INVALID']);
  },
);
