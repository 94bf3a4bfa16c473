/**
 * Scenario: a lock table with expiry, swept by its clients: A's lease ends, B reads the expired row, C replaces
 * the row with its own, and B deletes the row by name.
 *
 * Why it breaks: check and delete are two statements, and the row changes owner between them.
 *
 * Fix: one `DELETE … WHERE expires_at <= NOW(6)`. It does not help a holder that outlives its lease; for that the
 * sale has to lock and check its row in its own transaction.
 */
import { EXPLORE_OPTIONS, Schedule, before, explore, type World } from '#lab/explore';
import { LockRows } from '#lab/locks';
import { findStrategy, lockKey, withLock, type Strategy } from '#lab/strategy';
import { dataSourceOf, planted, sellUnprotected } from '../harness/planted';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

const ttlStrategy = findStrategy('mysql-lock-table-ttl');

/** Same as mysql-lock-table-ttl, but the sweeper checks first and then deletes by name. */
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

/** A's lease ends, B finds the expired row, C takes the lock over, then B deletes the row it had found. */
async function sweepLate(strategy: Strategy): Promise<readonly string[]> {
  const s = await Schedule.begin(world, strategy, { stock: 3, processes: ['p1', 'p2', 'p3'] });
  await s.A.runUntil(before('UPDATE balance SET'));
  await s.lapse();
  await s.B.runUntil(before('DELETE'));
  await s.C.runUntil(before('UPDATE balance SET'));
  await s.B.runTowards(before('UPDATE balance SET'));
  return (await s.end()).verdict.violations.map(({ kind }) => kind);
}

test('check, then delete by name: B deletes the row of the next owner, and two holders overlap', async () => {
  expect(await sweepLate(twoStatements)).toEqual(
    expect.arrayContaining(['foreign-release', 'overlap', 'lost-update']),
  );
});

test('check and delete in one statement: the row of the next owner stays', async () => {
  expect(await sweepLate(ttlStrategy)).not.toContain('foreign-release');
});

test('when the sale does not check its row, one ended lease is enough to oversell', async () => {
  const setup = { strategy: ttlStrategy, options: EXPLORE_OPTIONS, stock: 1, processes: ['p1', 'p2'] };
  const plan = { setup, budget: { lapse: 1 }, faultPlaces: {}, reduce: true };
  const { kinds } = await explore(world, plan, { max: 100 });
  expect([...kinds.keys()]).toEqual(expect.arrayContaining(['oversold', 'lost-update', 'overlap']));
});
