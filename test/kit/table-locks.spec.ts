import type { ActorOutcome } from '#lab/kit';
import { createPool, type Pool, type PoolConnection, type RowDataPacket } from 'mysql2/promise';
import { showAll } from './support';

interface Clients {
  readonly pool: Pool;
}

const start = {
  connect: ({ mysql }: { mysql: string }): Clients => ({
    pool: createPool({ uri: mysql, connectionLimit: 2 }),
  }),
  setUp: ({ pool }: Clients): Promise<unknown> => pool.query('CREATE TABLE counter (value INT NOT NULL)'),
  prepare: async ({ pool }: Clients): Promise<void> => {
    await pool.query('DELETE FROM counter');
    await pool.query('INSERT INTO counter VALUES (0)');
  },
};

async function valueIn(connection: Pool | PoolConnection): Promise<unknown> {
  const [[row]] = await connection.query<RowDataPacket[]>('SELECT value FROM counter');
  return row?.['value'];
}

/** Returns what `work` returns, or the code of its error. */
const onConnection =
  (work: (connection: PoolConnection) => Promise<unknown>) =>
  async ({ pool }: Clients): Promise<unknown> => {
    const connection = await pool.getConnection();
    try {
      return await work(connection);
    } catch (error) {
      return (error as { readonly code: unknown }).code;
    } finally {
      connection.release();
    }
  };

const values = (_: Clients, outcomes: readonly ActorOutcome[]): unknown =>
  outcomes.map(({ state, value }) => value ?? state);

const resultsOf = async (
  ...actors: readonly [ReturnType<typeof onConnection>, ReturnType<typeof onConnection>]
): Promise<readonly string[]> => (await showAll({ ...start, actors }, values)).results;

test('LOCK TABLES … WRITE makes the other actor wait until UNLOCK TABLES, so that no update is lost', async () => {
  const increment = onConnection(async (connection) => {
    await connection.query('LOCK TABLES counter WRITE');
    const value = Number(await valueIn(connection)) + 1;
    await connection.query('UPDATE counter SET value = ?', [value]);
    await connection.query('UNLOCK TABLES');
    return value;
  });
  expect(await resultsOf(increment, increment)).toEqual(['[1,2]', '[2,1]']);
});

test('LOCK TABLES that is kept: the wait of the other one ends with the error of the database', async () => {
  const keep = onConnection(async (connection) => {
    await connection.query('LOCK TABLES counter WRITE');
    return 'locked';
  });
  expect(await resultsOf(keep, keep)).toEqual([
    '["ER_LOCK_WAIT_TIMEOUT","locked"]',
    '["locked","ER_LOCK_WAIT_TIMEOUT"]',
  ]);
});

test.each([
  ['a table', 'LOCK TABLES counter WRITE', 'SELECT value FROM counter'],
  ['a row', 'UPDATE counter SET value = 1', 'SELECT value FROM counter FOR UPDATE'],
])('an invariant that waits for %s which an actor has left locked ends the search', async (_, lock, read) => {
  const keep = async ({ pool }: Clients): Promise<void> => {
    const connection = await pool.getConnection();
    await connection.query('START TRANSACTION');
    await connection.query(lock);
  };
  const other = ({ pool }: Clients): Promise<unknown> => pool.query('SELECT 1');
  const reads = ({ pool }: Clients): Promise<unknown> => pool.query(read);
  const exploring = showAll({ ...start, actors: [keep, other] }, reads);
  await expect(exploring).rejects.toMatchObject({ code: 'EXPLORE.INVARIANT_WAITS' });
});

test('TRUNCATE waits until a transaction that has read the table has ended', async () => {
  const readTwice = onConnection(async (connection) => {
    await connection.query('START TRANSACTION');
    const read = [await valueIn(connection), await valueIn(connection)].map(String);
    await connection.query('COMMIT');
    return read.join();
  });
  const truncate = onConnection(async (connection) => {
    await connection.query('TRUNCATE TABLE counter');
    return 'truncated';
  });
  expect(await resultsOf(readTwice, truncate)).toEqual([
    '["0,0","truncated"]',
    '["undefined,undefined","truncated"]',
  ]);
});
