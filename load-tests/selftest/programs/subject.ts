import { subjectNamed, type OwnSubject, type SubjectClients } from '#lab/own';
import type { SubjectDefinition } from '#lab/subject';
import type { RowDataPacket } from 'mysql2/promise';
import type { Program } from './program';
import { LEASE_MS, Refused, STATEMENTS, type Request } from './statements';

/** The subject that runs a program. Its one invariant never holds: it says which data a schedule leaves. */
export function subjectOf({ actors, processes, endsAtError, isolation }: Program): OwnSubject {
  const definition: SubjectDefinition<SubjectClients> = {
    setUp: ({ pool }) => createTables(pool),
    prepare: ({ pool }) => clearTables(pool),
    actors: actors.map((statements, i) => ({
      process: `p${processes[i]}`,
      run: (clients) => runRequest(clients, 'AB'.charAt(i), statements, endsAtError),
    })),
    invariants: { data: async (clients) => JSON.stringify(await dataIn(clients)) },
  };
  return subjectNamed('program', definition as SubjectDefinition<object>, { isolation });
}

async function createTables(pool: SubjectClients['pool']): Promise<void> {
  await pool.query('CREATE TABLE counter (id INT PRIMARY KEY, value INT NOT NULL)');
  await pool.query('CREATE TABLE locks (name VARCHAR(20) PRIMARY KEY, owner VARCHAR(20) NOT NULL)');
  await pool.query('CREATE TABLE audit (id INT PRIMARY KEY AUTO_INCREMENT, actor VARCHAR(20) NOT NULL)');
}

async function clearTables(pool: SubjectClients['pool']): Promise<void> {
  await pool.query('REPLACE INTO counter VALUES (1, 0), (2, 0)');
  await pool.query('DELETE FROM locks');
  await pool.query('DELETE FROM audit');
}

/** Returns the replies. */
async function runRequest(
  clients: SubjectClients,
  me: string,
  statements: readonly string[],
  endsAtError: boolean,
): Promise<readonly unknown[]> {
  // eslint-disable-next-line no-restricted-properties -- it is virtual in a schedule
  const until = Date.now() + LEASE_MS;
  const request: Request = { ...clients, me, until, connection: undefined, last: null };
  const replies: unknown[] = [];
  try {
    for (const name of statements) {
      const reply = await replyTo(name, request);
      replies.push(reply);
      if (reply === REFUSED || (endsAtError && isError(reply))) break;
      request.last = reply;
    }
    return replies;
  } finally {
    request.connection?.release(); // with an open transaction, if the program leaves one
  }
}

const REFUSED = 'refused';
const ERROR = 'error ';

const isError = (reply: unknown): boolean => typeof reply === 'string' && reply.startsWith(ERROR);

async function replyTo(name: string, request: Request): Promise<unknown> {
  try {
    return await STATEMENTS[name]?.(request);
  } catch (error) {
    if (error instanceof Refused) return REFUSED;
    const { code, message } = error as { code?: string; message: string };
    return `${ERROR}${code ?? message}`;
  }
}

/** Everything that a schedule leaves. */
async function dataIn({ redis, pool }: SubjectClients): Promise<unknown> {
  const keys = (await redis.keys('*')).sort();
  const rows = async (text: string): Promise<unknown> => {
    const [found] = await pool.query<RowDataPacket[]>(text);
    return found.map((row) => Object.values(row) as unknown[]);
  };
  return {
    keys: await Promise.all(keys.map(async (key) => [key, await valueOf(redis, key)])),
    counter: await rows('SELECT id, value FROM counter ORDER BY id'),
    locks: await rows('SELECT name, owner FROM locks'),
    audit: await rows('SELECT actor FROM audit ORDER BY actor'),
  };
}

async function valueOf(redis: SubjectClients['redis'], key: string): Promise<unknown> {
  switch (await redis.type(key)) {
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'set':
      return (await redis.smembers(key)).sort();
    case 'hash':
      return redis.hgetall(key);
    case 'zset':
      return redis.zrange(key, 0, -1, 'WITHSCORES');
    case 'stream':
      return (await redis.xrange(key, '-', '+')).map(([, fields]) => fields);
    default:
      return { value: await redis.get(key), hasExpiry: (await redis.pttl(key)) > 0 };
  }
}
