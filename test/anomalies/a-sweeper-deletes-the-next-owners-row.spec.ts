import { BalanceTransaction, LockRows } from '#lab/balance';
import {
  EXPLORE_OPTIONS,
  Schedule,
  before,
  explore,
  parseBudget,
  type Tally,
  type World,
} from '#lab/explore';
import { findStrategy, lockKey, LockLost, withLock, type Strategy } from '#lab/strategy';
import { dataSourceOf, planted, sellUnprotected } from '../harness/planted';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

const asItIs = findStrategy('mysql-lock-table-ttl');

/** As mysql-lock-table-ttl, but the sweeper looks first, and then deletes by name. */
const twoStatements = planted('sweeps-by-name', (change, tools) => {
  const key = lockKey(change.balance, 'sweeps-by-name');
  const sql = dataSourceOf(world, change);
  const rows = new LockRows(sql);
  const insert = (): Promise<boolean> => rows.insert(key, change.request, tools.options.leaseMs);
  const sweep = async (): Promise<boolean> => {
    const [expired] = await sql.query<unknown[]>(
      'SELECT name FROM balance_lock WHERE name = ? AND expires_at <= NOW(6)',
      [key],
    );
    if (expired === undefined) return false;
    await sql.query('DELETE FROM balance_lock WHERE name = ?', [key]);
    return true;
  };
  const lock = {
    key,
    tryAcquire: async () => (await insert()) || ((await sweep()) && (await insert())),
    release: () => rows.delete(key, change.request),
  };
  return withLock(lock, tools, () => sellUnprotected(change, tools.balances));
});

/** A's lease ends; B finds the row expired; C takes the lock over; and then B deletes what it has found. */
async function sweepLate(strategy: Strategy): Promise<readonly string[]> {
  const s = await Schedule.begin(world, strategy, { stock: 3, processes: ['p1', 'p2', 'p3'] });
  await s.A.runUntil(before('UPDATE balance SET'));
  await s.lapse();
  await s.B.runUntil(before('DELETE'));
  await s.C.runUntil(before('UPDATE balance SET'));
  await s.B.runTowards(before('UPDATE balance SET'));
  return (await s.end()).verdict.violations.map(({ kind }) => kind);
}

test('looked first, deleted by name: it is the row of the next owner, and two are inside', async () => {
  expect(await sweepLate(twoStatements)).toEqual(
    expect.arrayContaining(['foreign-release', 'overlap', 'lost-update']),
  );
});

test('one statement that looks and deletes: the row of the next owner stays', async () => {
  expect(await sweepLate(asItIs)).not.toContain('foreign-release');
});

/** The sale's own transaction locks the lock's row, whoever has it by then, and sells only if that is still us. */
const checked = planted('checks-its-row', (change, tools) => {
  const { lockRows } = tools.balances;
  const key = lockKey(change.balance, 'checks-its-row');
  const insert = (): Promise<boolean> => lockRows.insert(key, change.request, tools.options.leaseMs);
  const lock = {
    key,
    tryAcquire: async () => (await insert()) || ((await lockRows.sweep(key)) && (await insert())),
    release: () => lockRows.delete(key, change.request),
  };
  return withLock(lock, tools, () =>
    dataSourceOf(world, change).transaction(async (manager) => {
      const [row] = await manager.query<{ owner: string }[]>(
        'SELECT owner FROM balance_lock WHERE name = ? FOR UPDATE',
        [key],
      );
      if (row?.owner !== change.request) throw new LockLost(key);
      return sellUnprotected(change, new BalanceTransaction(manager));
    }),
  );
});

const search = (strategy: Strategy, faults: string, max = Infinity): Promise<Tally> => {
  const setup = { strategy, options: EXPLORE_OPTIONS, stock: 1, processes: ['p1', 'p2'] };
  return explore(world, { setup, budget: parseBudget(faults), faultPlaces: {}, reduce: true }, { max });
};

const SOLD_TWICE = ['oversold', 'lost-update', 'lost-acknowledged'] as const;

test.each(['lapse:1', 'kill:1'])(
  'a sale that looks at its row FOR UPDATE in its own transaction is exact: %s',
  async (faults) => {
    const tally = await search(checked, faults);
    expect([tally.partial, tally.contended > 0]).toEqual([false, true]);
    for (const fault of Object.keys(parseBudget(faults))) expect(tally.fired.get(fault)).toBeGreaterThan(0);
    expect(SOLD_TWICE.filter((kind) => tally.kinds.has(kind))).toEqual([]);
  },
);

test('without that look the lease that ends is enough', async () => {
  expect([...(await search(asItIs, 'lapse:1', 100)).kinds.keys()]).toEqual(
    expect.arrayContaining(['oversold', 'lost-update', 'overlap']),
  );
});
