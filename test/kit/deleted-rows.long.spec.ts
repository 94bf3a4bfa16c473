import { createPool, type Pool, type RowDataPacket } from 'mysql2/promise';
import { showAll } from './support';

/**
 * A locking read of a row that was deleted locks the row until the server has removed it, and a gap afterwards. No result depends on
 * when it does so. So many rows that removing them takes longer than a step.
 */
const ROWS = 3000;
const LAST = `code-${ROWS - 1}`;
const VALUES = Array.from({ length: ROWS }, (_, i) => `('code-${i}', ${i + 1})`).join(', ');

interface Clients {
  readonly pool: Pool;
}

const connect = ({ mysql }: { mysql: string }): Clients => ({
  pool: createPool({ uri: mysql, connectionLimit: 3 }),
});
async function setUp({ pool }: Clients): Promise<void> {
  await pool.query('CREATE TABLE coupon (code VARCHAR(20), id INT AUTO_INCREMENT PRIMARY KEY, INDEX (code))');
  await pool.query('CREATE TABLE other (id INT)');
  await pool.query('INSERT INTO other VALUES (1)');
  await pool.query('CREATE TRIGGER empties AFTER INSERT ON other FOR EACH ROW DELETE FROM coupon');
}
const empty = ({ pool }: Clients): Promise<unknown> => pool.query('DELETE FROM coupon');

async function fill(clients: Clients): Promise<void> {
  await empty(clients);
  await clients.pool.query(`INSERT INTO coupon VALUES ${VALUES}`);
}

/** Ways in which the coupon disappears from the index of its code. */
const WAYS: readonly [string, (clients: Clients) => Promise<unknown>][] = [
  ['deleted', empty],
  ['changed in an index', ({ pool }) => pool.query("UPDATE coupon SET code = ''")],
  [
    'changed in an index, where duplicates are ignored',
    ({ pool }) => pool.query("UPDATE IGNORE coupon SET code = ''"),
  ],
  ['changed beside another table', ({ pool }) => pool.query("UPDATE other JOIN coupon SET coupon.code = ''")],
  ['deleted by a trigger', ({ pool }) => pool.query('INSERT INTO other VALUES (2)')],
  [
    'changed in an index by an INSERT',
    ({ pool }) => pool.query(`INSERT INTO coupon VALUES ${VALUES} ON DUPLICATE KEY UPDATE code = ''`),
  ],
];

/** Inserts the coupon unless it exists: the usual mistake with FOR UPDATE. */
async function redeem({ pool }: Clients): Promise<string> {
  const connection = await pool.getConnection();
  try {
    await connection.query('START TRANSACTION');
    const [rows] = await connection.query<RowDataPacket[]>(
      `SELECT id FROM coupon WHERE code = '${LAST}' FOR UPDATE`,
    );
    if (rows.length === 0) await connection.query(`INSERT INTO coupon (code) VALUES ('${LAST}')`);
    await connection.query('COMMIT');
    return rows.length === 0 ? 'redeemed' : 'used';
  } catch (error) {
    await connection.query('ROLLBACK');
    return (error as { code: string }).code;
  } finally {
    connection.release();
  }
}

const states = (_: unknown, outcomes: readonly { state: string; value?: unknown }[]): unknown =>
  outcomes.map(({ state, value }) => value ?? state);

test.each(WAYS)(
  'rows that were %s before the schedule lock as rows that never existed',
  async (_, remove) => {
    const prepare = async (clients: Clients): Promise<void> => {
      await fill(clients);
      await remove(clients);
    };
    const { results } = await showAll({ connect, setUp, prepare, actors: [redeem, redeem] }, states);
    expect(results).toContain('["redeemed","ER_LOCK_DEADLOCK"]');
  },
);

test.each(WAYS)('so do rows that are %s by a step of the schedule', async (_, remove) => {
  const removesFirst = async (clients: Clients): Promise<string> => {
    await remove(clients);
    return redeem(clients);
  };
  const actors = [removesFirst, redeem] as const;
  const { results } = await showAll({ connect, setUp, prepare: fill, actors }, states);
  expect(results).toContain('["redeemed","ER_LOCK_DEADLOCK"]');
});
