import type { ActorOutcome } from '#lab/kit';
import { createPool, type Pool, type RowDataPacket } from 'mysql2/promise';
import { showAll } from './support';

interface Clients {
  readonly pool: Pool;
}

const connect = ({ mysql }: { mysql: string }): Clients => ({
  pool: createPool({ uri: mysql, connectionLimit: 2 }),
});

const NEXT = 'SELECT next FROM next_number';

/** Takes a number in a transaction that is rolled back. */
const taker = async ({ pool }: Clients): Promise<void> => {
  const connection = await pool.getConnection();
  await connection.beginTransaction();
  await connection.query('INSERT INTO taken SELECT NEXTVAL(number)');
  await connection.rollback();
  connection.release();
};

const reader =
  (...before: readonly string[]) =>
  async ({ pool }: Clients): Promise<unknown> => {
    for (const sql of before) await pool.query(sql);
    const [[row]] = await pool.query<RowDataPacket[]>(NEXT);
    return Number(row?.['next']);
  };

const second = (_: Clients, outcomes: readonly ActorOutcome[]): unknown => outcomes[1]?.value;

const VIEW = 'CREATE OR REPLACE VIEW next_number AS SELECT next_not_cached_value AS next FROM number';

test.each([
  ['that prepare creates', [VIEW], reader()],
  ['that an actor creates', [], reader(VIEW)],
])('a view of a sequence, %s, shows what an open transaction has taken', async (_, more, read) => {
  const setUp = ({ pool }: Clients): Promise<unknown> => pool.query('CREATE TABLE taken (number INT)');
  const prepare = async ({ pool }: Clients): Promise<void> => {
    for (const sql of [
      'DROP VIEW IF EXISTS next_number',
      'CREATE OR REPLACE SEQUENCE number NOCACHE',
      ...more,
    ])
      await pool.query(sql);
  };
  const { results } = await showAll({ connect, setUp, prepare, actors: [taker, read] }, second);
  expect(results).toEqual(['1', '2']);
});
