import { createPool, type Pool, type RowDataPacket } from 'mysql2/promise';
import { showAll } from './support';

/**
 * A locking read of a row that was deleted locks the row until the server has removed it, and a gap afterwards. No result depends on
 * when it does so. So many rows that removing them takes longer than a step.
 */
const ROWS = 3000;
const VALUES = Array.from({ length: ROWS }, (_, i) => `('code-${i}')`).join(', ');

const connect = ({ mysql }: { mysql: string }): { pool: Pool } => ({
  pool: createPool({ uri: mysql, connectionLimit: 3 }),
});
const setUp = ({ pool }: { pool: Pool }): Promise<unknown> =>
  pool.query('CREATE TABLE coupon (code VARCHAR(20) PRIMARY KEY)');
const fill = ({ pool }: { pool: Pool }): Promise<unknown> =>
  pool.query(`INSERT INTO coupon VALUES ${VALUES}`);
const empty = ({ pool }: { pool: Pool }): Promise<unknown> => pool.query('DELETE FROM coupon');

/** Inserts the coupon unless it exists: the usual mistake with FOR UPDATE. */
async function redeem({ pool }: { pool: Pool }): Promise<string> {
  const connection = await pool.getConnection();
  try {
    await connection.query('START TRANSACTION');
    const [rows] = await connection.query<RowDataPacket[]>(
      `SELECT code FROM coupon WHERE code = 'code-${ROWS - 1}' FOR UPDATE`,
    );
    if (rows.length === 0) await connection.query(`INSERT INTO coupon VALUES ('code-${ROWS - 1}')`);
    await connection.query('COMMIT');
    return rows.length === 0 ? 'redeemed' : 'used';
  } catch (error) {
    await connection.query('ROLLBACK');
    return (error as { code: string }).code;
  } finally {
    connection.release();
  }
}

const actors = [redeem, redeem] as const;
const states = (_: unknown, outcomes: readonly { state: string; value?: unknown }[]): unknown =>
  outcomes.map(({ state, value }) => value ?? state);

test('rows that were deleted before the schedule lock as rows that never existed', async () => {
  const never = await showAll({ connect, setUp, prepare: empty, actors }, states);
  const prepare = async (clients: { pool: Pool }): Promise<void> => {
    await empty(clients);
    await fill(clients);
    await empty(clients);
  };
  const deleted = await showAll({ connect, setUp, prepare, actors }, states);
  expect(never.results).toContain('["redeemed","ER_LOCK_DEADLOCK"]');
  expect(deleted.results).toEqual(never.results);
  expect(deleted.schedules).toBe(never.schedules);
});

test('so do rows that a step of the schedule has deleted', async () => {
  const prepare = async (clients: { pool: Pool }): Promise<void> => {
    await empty(clients);
    await fill(clients);
  };
  const deletesFirst = async (clients: { pool: Pool }): Promise<string> => {
    await empty(clients);
    return redeem(clients);
  };
  const { results } = await showAll({ connect, setUp, prepare, actors: [deletesFirst, redeem] }, states);
  expect(results).toContain('["redeemed","ER_LOCK_DEADLOCK"]');
});
