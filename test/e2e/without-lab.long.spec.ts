import { readdirSync } from 'node:fs';
import { expectProblem, openShop } from './support';

const shop = openShop('without-lab', { lab: false, replicas: { order: 1, inventory: 1, account: 1 } });
const faultHeader = { 'x-fault': 'after(COMMIT)=kill' };

test('there is no lab address, and orders succeed', async () => {
  expect(shop().stack.urls.lab).toBeUndefined();
  expect((await shop().order({ sku: 'phone' })).status).toBe(201);
  expect(await shop().stock('phone')).toBe(99);
});

test('a fault is refused on the internal address and by the apps, and nothing changes', async () => {
  const before = await shop().everything();
  const { inventory } = shop().stack.urls;
  const deduction = { body: { quantity: 1 }, headers: faultHeader };
  expectProblem(
    await shop().post(`${inventory}/products/phone/deductions`, deduction),
    403,
    'FAULT.DISABLED',
  );
  const order = { body: { sku: 'phone', quantity: 1, buyer: 'ann' }, headers: faultHeader };
  const { url } = await shop().replica('order-1');
  expectProblem(await shop().post(`${url}/orders`, order), 403, 'FAULT.DISABLED');
  const entry = { body: { amountMinor: 1 }, headers: faultHeader };
  const accounts = await shop().replica('account-1');
  expectProblem(await shop().post(`${accounts.url}/accounts/cafe/entries`, entry), 403, 'FAULT.DISABLED');
  expect(await shop().everything()).toEqual(before);
});

test('a fault on the public address is refused with the address that accepts it, and nothing changes', async () => {
  const before = await shop().everything();
  const reply = await shop().order({ at: 'public', sku: 'phone', headers: faultHeader });
  expectProblem(reply, 403, 'FAULT.DISABLED');
  expect(reply.json['detail']).toContain('lab address');
  expect(await shop().everything()).toEqual(before);
});

test('reset, locks and history do not exist in any app', async () => {
  const body = { sku: 'phone', stock: 1 };
  for (const name of ['order-1', 'inventory-1', 'account-1']) {
    const { url } = await shop().replica(name);
    for (const path of [
      '/lab/reset',
      '/lab/order/reconcile',
      '/lab/inventory/reset',
      '/lab/inventory/reconcile',
      '/lab/account/reset',
      '/lab/account/scan/run',
    ])
      expectProblem(await shop().post(`${url}${path}`, { body }), 404, 'REQUEST.NOT_FOUND');
    for (const path of [
      '/lab/process',
      '/lab/history/phone',
      '/lab/inventory/locks/phone',
      '/lab/inventory/totals/phone',
      '/lab/account/history/cafe',
    ])
      expectProblem(await shop().send(`${url}${path}`, 'GET', {}), 404, 'REQUEST.NOT_FOUND');
  }
});

test('no history is written', () => {
  expect(readdirSync(shop().stack.historyDir).filter((name) => name !== 'supervisor.jsonl')).toEqual([]);
});
