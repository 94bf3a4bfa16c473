import { explore } from '#lab/kit';
import { Redis } from 'ioredis';
import { createPool, type Pool, type RowDataPacket } from 'mysql2/promise';
import { kitServers, violationOf } from './support';

interface Clients {
  readonly redis: Redis;
}

const later = 60_000;

test.each<[what: string, take: (redis: Redis) => Promise<unknown>]>([
  ['SET … PXAT', (redis) => redis.set('lock', 'me', 'PXAT', later, 'NX')],
  ['a SET … pxat by call', (redis) => redis.call('SET', 'lock', 'me', 'pxat', String(later), 'NX')],
  ['PEXPIREAT', (redis) => redis.pexpireat('lock', later)],
  ['PEXPIRETIME', (redis) => redis.pexpiretime('lock')],
  ['EXPIREAT in a pipeline', (redis) => redis.pipeline().get('a').expireat('lock', later).exec()],
  ['EXAT in a multi', (redis) => redis.multi().get('a').set('lock', 'me', 'EXAT', later).exec()],
  [
    'a script that uses PXAT',
    (redis) => redis.eval("return redis.call('SET', KEYS[1], 'me', 'PXAT', ARGV[1])", 1, 'lock', later),
  ],
])('%s ends the exploration with EXPLORE.COMMAND, also when the code catches errors', async (_, take) => {
  const buy = async ({ redis }: Clients): Promise<void> => {
    await take(redis).catch(() => undefined);
  };
  const exploring = explore({
    servers: kitServers(),
    connect: ({ redis }): Clients => ({ redis: new Redis(redis) }),
    actors: [buy, buy],
    invariants: { 'it is never judged': () => false },
  });
  await expect(exploring).rejects.toMatchObject({
    code: 'EXPLORE.COMMAND',
    message: expect.stringContaining('has an absolute time') as unknown,
  });
});

test.each<[what: string, use: (redis: Redis) => Promise<unknown>]>([
  ['SELECT', (redis) => redis.select(14)],
  ['MOVE', (redis) => redis.move('key', 14)],
  ['COPY … DB', (redis) => redis.copy('key', 'other', 'DB', 14)],
  ['FLUSHALL', (redis) => redis.flushall()],
  ['a script that calls SELECT', (redis) => redis.eval("return redis.call('SELECT', 14)", 0)],
  ['FUNCTION LOAD', (redis) => redis.call('FUNCTION', 'LOAD', '#!lua name=mine')],
  ['SCRIPT FLUSH', (redis) => redis.script('FLUSH')],
  ['CONFIG SET', (redis) => redis.config('SET', 'maxmemory-policy', 'noeviction')],
  ['CLIENT REPLY', (redis) => redis.client('REPLY', 'OFF')],
])('%s, whose effect is left in the next schedule, ends the exploration', async (_, use) => {
  const exploring = explore({
    servers: kitServers(),
    connect: ({ redis }): Clients => ({ redis: new Redis(redis) }),
    actors: [({ redis }) => use(redis).catch(() => undefined), ({ redis }) => redis.get('key')],
    invariants: { 'it is never judged': () => false },
  });
  await expect(exploring).rejects.toMatchObject({
    code: 'EXPLORE.COMMAND',
    message: expect.stringContaining('is not emptied before each schedule') as unknown,
  });
});

test('a client of another Redis database is refused', async () => {
  const exploring = explore({
    servers: kitServers(),
    connect: ({ redis }): Clients => ({ redis: new Redis(redis.replace(/\d+$/, '14')) }),
    actors: [({ redis }) => redis.get('key'), ({ redis }) => redis.get('key')],
    invariants: { 'it is never judged': () => false },
  });
  await expect(exploring).rejects.toMatchObject({
    code: 'KIT.CLIENT',
    message: expect.stringContaining('it uses database 14') as unknown,
  });
});

test('a script that the server has loaded before is refused by the text of its definition', async () => {
  const { redis: url } = kitServers();
  const lua = "return redis.call('PEXPIREAT', KEYS[1], ARGV[1])";
  const own = new Redis(url);
  await own.script('LOAD', lua);
  own.disconnect();
  const exploring = explore({
    servers: kitServers(),
    connect: ({ redis }) => {
      const client = new Redis(redis);
      client.defineCommand('endAt', { lua, numberOfKeys: 1 });
      return { redis: client as Redis & { endAt(key: string, at: number): Promise<unknown> } };
    },
    actors: [({ redis }) => redis.endAt('lock', later), ({ redis }) => redis.get('lock')],
    invariants: { 'it is never judged': () => false },
  });
  await expect(exploring).rejects.toMatchObject({ code: 'EXPLORE.COMMAND' });
});

describe('several statements in one step', () => {
  interface Databases {
    readonly pool: Pool;
  }
  /** Adds one to what it has read before, so that an update would be lost between its statements. */
  const STATEMENTS = 'SELECT value INTO @value FROM counter; UPDATE counter SET value = @value + 1';
  const start = {
    servers: kitServers(),
    connect: ({ mysql }: { mysql: string }): Databases => ({
      pool: createPool({ uri: mysql, multipleStatements: true }),
    }),
    setUp: async ({ pool }: Databases): Promise<void> => {
      await pool.query('CREATE TABLE counter (value INT NOT NULL)');
      await pool.query(`CREATE PROCEDURE increment() BEGIN ${STATEMENTS}; END`);
    },
    prepare: async ({ pool }: Databases): Promise<void> => {
      await pool.query('DELETE FROM counter');
      await pool.query('INSERT INTO counter VALUES (0)');
    },
  };
  const send =
    (sql: string) =>
    ({ pool }: Databases): Promise<unknown> =>
      pool.query(sql);
  const counts =
    (expected: number) =>
    async ({ pool }: Databases): Promise<boolean> => {
      const [[row]] = await pool.query<RowDataPacket[]>('SELECT value FROM counter');
      return row?.['value'] === expected;
    };

  test.each([
    ['a procedure', 'CALL increment()'],
    ['a text with two statements', STATEMENTS],
  ])('of %s: no violation is found, and the exploration ends with EXPLORE.COMMAND', async (_, sql) => {
    const exploring = explore({
      ...start,
      actors: [send(sql), send(sql)],
      invariants: { 'no update is lost': counts(2) },
    });
    await expect(exploring).rejects.toMatchObject({
      code: 'EXPLORE.COMMAND',
      message: expect.stringContaining('is one step') as unknown,
    });
  });

  test('of a procedure: a violation between steps is found', async () => {
    const actors = [send('CALL increment()'), send('UPDATE counter SET value = 5')] as const;
    const { sentences } = await violationOf({
      ...start,
      actors,
      invariants: { 'the procedure is last': counts(6) },
    });
    expect(sentences).toEqual(['"the procedure is last" is false']);
  });

  test('a semicolon in a value, and one at the end, are no second statement', async () => {
    const set = send("SELECT 'a; b' AS text FROM counter;");
    const { complete } = await explore({
      ...start,
      actors: [set, set],
      invariants: { 'nothing changes': counts(0) },
    });
    expect(complete).toBe(true);
  });
});
