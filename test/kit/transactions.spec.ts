import { explore, type ActorOutcome } from '#lab/kit';
import {
  createPool,
  type Pool,
  type PoolConnection,
  type ResultSetHeader,
  type RowDataPacket,
} from 'mysql2/promise';
import { kitServers, showAll } from './support';

/** Statements that begin, end or leave transactions and sessions in other ways than START TRANSACTION and COMMIT. */

interface Clients {
  readonly pool: Pool;
}

const connect = ({ mysql }: { mysql: string }): Clients => ({
  pool: createPool({ uri: mysql, connectionLimit: 3 }),
});

const setUp = async ({ pool }: Clients): Promise<void> => {
  await pool.query('CREATE TABLE counter (id INT PRIMARY KEY, value INT NOT NULL)');
  await pool.query('CREATE TABLE audit (id INT PRIMARY KEY AUTO_INCREMENT, actor VARCHAR(8))');
  await pool.query(
    'CREATE FUNCTION `加一`() RETURNS INT BEGIN UPDATE counter SET value = value + 1; RETURN 0; END',
  );
};

const prepare = async ({ pool }: Clients): Promise<void> => {
  await pool.query('REPLACE INTO counter VALUES (1, 0)');
  await pool.query('DELETE FROM audit');
};

/** The first value of the first row of a reply; of another reply the number of rows. */
const shortOf = (reply: RowDataPacket[] | ResultSetHeader): unknown =>
  Array.isArray(reply) ? Object.values(reply[0] ?? {})[0] : reply.affectedRows;

/** Sends the statements over one connection. Returns their replies, or the codes of their errors. `x:` in front: as a prepared statement. */
const sends =
  (...statements: readonly string[]) =>
  async ({ pool }: Clients): Promise<unknown> => {
    const connection = await pool.getConnection();
    const replies: unknown[] = [];
    for (const text of statements) replies.push(await replyTo(connection, text));
    connection.release();
    return replies;
  };

const replyTo = (connection: PoolConnection, text: string): Promise<unknown> => {
  const sent = text.startsWith('x:')
    ? connection.execute<RowDataPacket[] | ResultSetHeader>(text.slice(2))
    : connection.query<RowDataPacket[] | ResultSetHeader>(text);
  return sent.then(
    ([reply]) => shortOf(reply),
    (error: unknown) => (error as { code: string }).code,
  );
};

/** What the second actor received in some schedule, its last reply. */
const seenBy = async (...actors: readonly ReturnType<typeof sends>[]): Promise<readonly unknown[]> => {
  const last = (_: Clients, outcomes: readonly ActorOutcome[]): unknown =>
    (outcomes[1]?.value as unknown[]).at(-1);
  const { results } = await showAll({ connect, setUp, prepare, actors }, last);
  return results.map((result) => JSON.parse(result) as unknown);
};

const READ = 'SELECT value FROM counter';
const WRITE = 'UPDATE counter SET value = 5';

test.each<[title: string, begin: readonly string[], end: readonly string[]]>([
  ['COMMIT AND CHAIN outside of a transaction', ['COMMIT AND CHAIN'], ['START TRANSACTION', 'COMMIT']],
  ['ROLLBACK AND CHAIN', ['START TRANSACTION', 'ROLLBACK AND CHAIN'], ['BEGIN', 'COMMIT']],
  ['XA', ["XA START 'x'"], ["XA END 'x'", "XA COMMIT 'x' ONE PHASE"]],
  [
    'completion_type',
    ['SET completion_type = 1', 'COMMIT'],
    ['START TRANSACTION', 'COMMIT', 'SET completion_type = 0'],
  ],
  [
    'an autocommit with a computed value',
    ['SET @off = 0', 'SET autocommit = @off'],
    ['START TRANSACTION', 'COMMIT'],
  ],
  ['a statement in a text', ["EXECUTE IMMEDIATE 'START TRANSACTION'"], ['START TRANSACTION', 'COMMIT']],
])('a transaction that %s begins has locked its rows until it ends', async (_, begin, end) => {
  expect(await seenBy(sends(...begin, WRITE, ...end), sends(`${READ} FOR UPDATE NOWAIT`))).toEqual([
    'ER_LOCK_WAIT_TIMEOUT',
    0,
    5,
  ]);
});

test('START TRANSACTION WITH CONSISTENT SNAPSHOT frees the rows of the transaction that is open', async () => {
  const holder = sends(
    'START TRANSACTION',
    WRITE,
    'START TRANSACTION WITH CONSISTENT SNAPSHOT',
    READ,
    'COMMIT',
  );
  const { results } = await showAll(
    { connect, setUp, prepare, actors: [holder, sends('UPDATE counter SET value = value + 1')] },
    (_, outcomes) => (outcomes[0]?.value as unknown[])[3],
  );
  expect(results).toEqual(['5']); // it has the snapshot before the other one continues
});

test('a transaction that ROLLBACK AND CHAIN has begun is not left in the next schedule', async () => {
  const insert = sends("INSERT INTO audit (actor) VALUES ('A')", 'ROLLBACK AND CHAIN');
  expect(await seenBy(insert, sends('SELECT COUNT(*) FROM audit'))).toEqual([0, 1]);
  const { results } = await showAll(
    { connect, setUp, prepare, actors: [insert, sends(READ)] },
    async ({ pool }) => shortOf((await pool.query<RowDataPacket[]>('SELECT COUNT(*) FROM audit'))[0]),
  );
  expect(results).toEqual(['1']);
});

test.each(['LAST_INSERT_ID', 'ROW_COUNT'])(
  '%s() is that of the schedule, not of the one before',
  async (name) => {
    const actor = sends(`SELECT ${name}()`, "INSERT INTO audit (actor) VALUES ('A')");
    const { results } = await showAll(
      { connect, setUp, prepare, actors: [actor, sends(READ)] },
      (_, outcomes) => (outcomes[0]?.value as unknown[])[0],
    );
    expect(results).toEqual(['0']);
  },
);

test('an isolation level that is set by its number', async () => {
  const writer = sends('START TRANSACTION', WRITE, 'ROLLBACK');
  expect(await seenBy(writer, sends('SET tx_isolation = 0', READ))).toEqual([0, 5]);
});

test('a function with a name in Chinese may write', async () => {
  expect(await seenBy(sends('SELECT 加一()'), sends(READ))).toEqual([0, 1]);
});

test('a prepared statement is prepared in its step: an error of it is that of the step', async () => {
  const creator = sends('CREATE TABLE created (id INT PRIMARY KEY)', 'DROP TABLE created');
  expect(await seenBy(creator, sends('x:SELECT COUNT(*) FROM created'))).toEqual(['ER_NO_SUCH_TABLE', 0]);
});

test('a TRUNCATE in a text waits for the transaction that uses the table', async () => {
  const reader = sends('START TRANSACTION', 'SELECT COUNT(*) FROM audit', 'COMMIT');
  expect(await seenBy(reader, sends("EXECUTE IMMEDIATE 'TRUNCATE TABLE audit'"))).toEqual([0]);
});

test('FLUSH TABLES WITH READ LOCK makes a write wait until UNLOCK TABLES', async () => {
  const locker = sends('FLUSH TABLES counter WITH READ LOCK', 'UNLOCK TABLES');
  expect(await seenBy(locker, sends(WRITE))).toEqual([1]);
});

test.each([
  ['several locks', "SELECT GET_LOCK('one', 1), GET_LOCK('other', 1)", 'in a statement of its own'],
  ['a lock beside a row', "UPDATE counter SET value = GET_LOCK('one', 1)", 'in a statement of its own'],
  ['a name that is a variable', 'SELECT GET_LOCK(@name, 1)', 'give the name as a value'],
  ['SET GLOBAL', 'SET GLOBAL innodb_lock_wait_timeout = 50', 'do it in setUp'],
  ['XA PREPARE', "XA PREPARE 'x'", 'do it in setUp'],
  ['KILL', 'KILL 1', 'do it in setUp'],
])('%s cannot be explored', async (_, statement, why) => {
  const exploring = explore({
    servers: kitServers(),
    connect,
    setUp,
    prepare,
    actors: [sends(statement), sends(READ)],
    invariants: { 'it is never judged': () => false },
  });
  await expect(exploring).rejects.toMatchObject({
    code: 'EXPLORE.COMMAND',
    message: expect.stringContaining(why) as unknown,
  });
});

test('a pool whose sessions begin with autocommit = 0 is refused', async () => {
  const exploring = explore({
    servers: kitServers(),
    connect: (servers): Clients => {
      const { pool } = connect(servers);
      pool.pool.on('connection', (connection) => void connection.query('SET autocommit = 0'));
      return { pool };
    },
    actors: [sends(READ), sends(READ)],
    invariants: { 'it is never judged': () => false },
  });
  await expect(exploring).rejects.toMatchObject({
    code: 'KIT.CLIENT',
    message: expect.stringContaining('autocommit') as unknown,
  });
});
