import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { setTimeout as delay } from 'node:timers/promises';
import { accountsOf } from './accounts';
import { eventually, openShop } from './support';

const shop = openShop('accounts-scan', { replicas: { order: 1, inventory: 0, account: 2 } });

const { account, lab, accountSummary, entries, pending } = accountsOf(shop);

describe('the scan', () => {
  const add = (id: string, amountMinor: number) =>
    shop().post(`${shop().url('public')}/accounts/${id}/pending`, { body: { amountMinor, text: 'rent' } });
  const run = (query = '', headers = {}) => lab(`scan/run?${query}`, {}, headers);
  afterEach(async () => {
    await lab('scan', { everyMs: 0 });
  });

  test('is off by default', async () => {
    expect((await shop().get('/lab/account/scan', 'lab')).json).toMatchObject({ everyMs: 0 });
    const id = await account();
    const { status, json } = await add(id, 3);
    expect([status, json['state']]).toEqual([202, 'pending']);
    await delay(500);
    expect(await pending(id)).toMatchObject([{ state: 'pending', amountMinor: 3, text: 'rent' }]);
    expect(await accountSummary(id)).toMatchObject({ balanceMinor: 0, entries: 0 });
    await run();
    expect(await pending(id)).toMatchObject([{ state: 'settled' }]);
    expect(await entries(id)).toMatchObject([{ entry: json['entry'], amountMinor: 3, text: 'rent' }]);
  });

  test('on every replica settles each entry once, with the configured strategy', async () => {
    const id = await account();
    for (let i = 0; i < 30; i++) await add(id, 1);
    const setting = await lab('scan?strategy=for-update&workMs=5', { everyMs: 100 });
    expect(setting.json).toMatchObject({ everyMs: 100, strategy: 'for-update' });
    await eventually('all entries are settled', async () =>
      (await pending(id)).every((row) => row['state'] === 'settled'),
    );
    expect(await accountSummary(id)).toMatchObject({ balanceMinor: 30, entries: 30, agrees: true });
    const rows = await entries(id);
    expect([...new Set(rows.map((row) => row['replica']))].sort()).toEqual(['account-1', 'account-2']);
    expect(new Set(rows.map((row) => row['entry'])).size).toBe(30);
  });

  test('without a lock on two replicas gets the balance wrong, but not the number of entries', async () => {
    const id = await account();
    for (let i = 0; i < 20; i++) await add(id, 1);
    const both = await Promise.all([run('strategy=none&workMs=50'), run('strategy=none&workMs=50')]);
    expect(both.map(({ json }) => json['replica']).sort()).toEqual(['account-1', 'account-2']);
    expect(both.reduce((sum, { json }) => sum + Number(json['settled']), 0)).toBe(20);
    const { entries: count, balanceMinor, agrees } = await accountSummary(id);
    expect([count, agrees]).toEqual([20, false]);
    expect(Number(balanceMinor)).toBeLessThan(20);
  });

  test('that waits for the row of an entry does not deadlock with the statement that settles it', async () => {
    const id = await account();
    const number = Number(String((await add(id, 1)).json['entry']).replace('pending:', ''));
    const other = await createConnection({ uri: shop().stack.urls.mysql, database: 'accounts' });
    try {
      await other.query('BEGIN');
      await other.query('SELECT 1 FROM pending_entry WHERE id = ? FOR UPDATE', [number]);
      const scan = run();
      await eventually('the claim waits for the row', async () => {
        const [[status]] = await other.query<RowDataPacket[]>('SHOW ENGINE INNODB STATUS');
        const transactions = String(status?.['Status']).split('---TRANSACTION');
        return transactions.some((text) => text.includes('LOCK WAIT') && text.includes('claimed_by'));
      });
      await other.query("UPDATE pending_entry SET state = 'settled' WHERE id = ?", [number]);
      await other.query('COMMIT');
      expect(await scan).toMatchObject({ status: 200, json: { settled: 0, left: 0 } });
    } finally {
      await other.end();
    }
  });

  test.each(['before(UPDATE)=kill', 'after(COMMIT)=kill', 'before(UPDATE#2)=kill'])(
    'killed at %s leaves the entry to the next scan, which settles it once',
    async (fault) => {
      const id = await account();
      await add(id, 4);
      const starts = async () =>
        (await shop().stack.replicas()).reduce((sum, replica) => sum + replica.starts, 0);
      const before = await starts();
      await run('workMs=0&waitMs=0', { 'x-fault': `account:${fault}` }).catch(() => undefined);
      await eventually('the replica has died', async () => (await starts()) === before + 1);
      await shop().stack.ready();
      await lab('scan?waitMs=0', { everyMs: 100 });
      await eventually('the entry is settled', async () => (await pending(id))[0]?.['state'] === 'settled');
      expect(await accountSummary(id)).toMatchObject({ balanceMinor: 4, entries: 1, agrees: true });
    },
  );

  test('whose claim has expired during a pause does not settle a second time', async () => {
    const id = await account();
    await add(id, 4);
    const paused = run('strategy=none&waitMs=0', { 'x-fault': 'account:before(UPDATE)=pause(15000)' });
    const replicas = async () => (await shop().stack.replicas()).filter(({ app }) => app === 'account');
    await eventually('the replica is paused', async () =>
      (await replicas()).some(({ state }) => state === 'paused'),
    );
    const other = (await replicas()).find(({ state }) => state === 'up');
    // bypasses nginx, which would send every second request to the paused replica
    const scan = `${other?.url}/lab/account/scan/run?strategy=none`;
    const settled = async () => (await shop().post(scan, { body: {} })).json;
    await eventually('the other replica settles it', async () => (await settled())['settled'] === 1);
    expect((await replicas()).map(({ state }) => state).sort()).toEqual(['paused', 'up']);
    expect((await paused).json).toMatchObject({ settled: 1 });
    expect(await accountSummary(id)).toMatchObject({ balanceMinor: 4, entries: 1, agrees: true });
  });

  test('refuses an entry without funds and keeps an entry that it could not settle', async () => {
    const id = await account(3);
    await add(id, -5);
    await add(id, 1);
    await run();
    expect(await pending(id)).toMatchObject([
      { state: 'refused', code: 'ACCOUNT.INSUFFICIENT_FUNDS' },
      { state: 'settled', code: null },
    ]);
    await add(id, 2);
    const fault = { 'x-fault': 'account:before(INSERT)=error' };
    expect((await run('', fault)).json).toMatchObject({ settled: 0, left: 1 });
    await run();
    expect(await accountSummary(id)).toMatchObject({ balanceMinor: 6, entries: 2, agrees: true });
  });
});
