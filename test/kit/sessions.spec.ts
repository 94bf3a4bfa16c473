import type { ActorOutcome, Faults, Options, Servers } from '#lab/kit';
import { explore } from '#lab/kit';
import { Redis } from 'ioredis';
import { createPool, type Pool, type PoolConnection, type RowDataPacket } from 'mysql2/promise';
import { once } from 'node:events';
import { connect as connectTo, createServer, type AddressInfo, type Server } from 'node:net';
import { hrtime } from 'node:process';
import { setInterval } from 'node:timers/promises';
import { kitServers, showAll, violationOf } from './support';

/** Ways of users to open connections, to begin transactions and to wait. */

interface Clients {
  readonly pool: Pool;
  readonly redis: Redis;
}

const connect = ({ mysql, redis }: { mysql: string; redis: string }): Clients => ({
  pool: createPool({ uri: mysql, connectionLimit: 3 }),
  redis: new Redis(redis),
});

const setUp = async ({ pool }: Clients): Promise<void> => {
  await pool.query('CREATE TABLE counter (id INT PRIMARY KEY, value INT NOT NULL)');
  await pool.query('CREATE PROCEDURE begin_tx() START TRANSACTION');
};

const prepare = ({ pool }: Clients): Promise<unknown> => pool.query('REPLACE INTO counter VALUES (1, 0)');

type Actor = (clients: Clients) => Promise<unknown>;

const values = (_: Clients, outcomes: readonly ActorOutcome[]): unknown =>
  outcomes.map(({ state, value }) => value ?? state);

const resultsOf = async (
  actors: readonly [Actor, Actor],
  faults: Faults = {},
  ofPool = connect,
): Promise<readonly string[]> =>
  (await showAll({ connect: ofPool, setUp, prepare, actors, faults }, values)).results;

/** Adds one in a transaction that some statements begin. */
const addAfter =
  (...beginning: readonly string[]): Actor =>
  async ({ pool }) => {
    const connection = await pool.getConnection();
    try {
      for (const sql of beginning) await connection.query(sql);
      await connection.query('UPDATE counter SET value = value + 1');
      const value = await valueIn(connection);
      await connection.query('COMMIT');
      return value;
    } finally {
      connection.release();
    }
  };

async function valueIn(connection: Pool | PoolConnection): Promise<unknown> {
  const [[row]] = await connection.query<RowDataPacket[]>('SELECT value FROM counter');
  return row?.['value'];
}

test.each([
  ['START TRANSACTION'],
  ['/* app=shop */ START TRANSACTION'],
  ['-- app\nSTART TRANSACTION'],
  ['SET SESSION sql_mode = DEFAULT, autocommit = 0'],
])('a transaction that begins with %p ends with its process', async (begin) => {
  const results = await resultsOf([addAfter(begin), ({ pool }) => valueIn(pool)], { kill: 1 });
  expect(results).toEqual(['["died",0]', '[1,0]', '[1,1]']);
});

test.each(['["died",0]', '[1,0]', '[1,1]'])(
  'a transaction that a procedure begins ends with its process: %s is found',
  async (expected) => {
    const { sentences } = await violationOf({
      connect,
      setUp,
      prepare,
      actors: [addAfter('CALL begin_tx()'), ({ pool }) => valueIn(pool)],
      faults: { kill: 1 },
      invariants: { [`not ${expected}`]: (...ended) => JSON.stringify(values(...ended)) !== expected },
    });
    expect(sentences).toHaveLength(1);
  },
);

test('an isolation level that the pool sets when it opens a connection', async () => {
  const readsUncommitted = (servers: Parameters<typeof connect>[0]): Clients => {
    const { pool, redis } = connect(servers);
    pool.on('connection', (connection) => {
      void connection.query('SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED');
    });
    return { pool, redis };
  };
  const writer: Actor = async ({ pool }) => {
    const connection = await pool.getConnection();
    await connection.beginTransaction();
    await connection.query('UPDATE counter SET value = 1');
    await connection.rollback();
    connection.release();
  };
  const results = await resultsOf([writer, ({ pool }) => valueIn(pool)], {}, readsUncommitted);
  expect(results).toEqual(['["returned",0]', '["returned",1]']);
});

const leaveOpen: Actor = async ({ pool }) => {
  const connection = await pool.getConnection();
  await connection.query('UPDATE counter SET value = 1');
  connection.release();
};

test('the explorer ends with an error when an actor leaves a transaction open that the explorer did not see begin', async () => {
  const ACTORS = 2; // the clients of the explorer are opened after theirs
  let opened = 0;
  const beginsAtOpen = (servers: Parameters<typeof connect>[0]): Clients => {
    const { pool, redis } = connect(servers);
    if (opened++ < ACTORS) pool.on('connection', (connection) => void connection.query('START TRANSACTION'));
    return { pool, redis };
  };
  await expect(resultsOf([leaveOpen, ({ pool }) => valueIn(pool)], {}, beginsAtOpen)).rejects.toMatchObject({
    name: 'UnseenTransaction',
    code: 'EXPLORE.UNSEEN_TRANSACTION',
  });
});

test('a prepare that leaves a transaction open is refused: each actor would wait for its locks', async () => {
  const preparing = async ({ pool }: Clients): Promise<void> => {
    const connection = await pool.getConnection();
    await connection.beginTransaction();
    await connection.query('REPLACE INTO counter VALUES (1, 0)');
    connection.release();
  };
  const actor: Actor = ({ pool }) => pool.query('UPDATE counter SET value = value + 1');
  await expect(
    showAll({ connect, setUp, prepare: preparing, actors: [actor, actor] }, values),
  ).rejects.toMatchObject({
    code: 'EXPLORE.PREPARATION_FAILED',
    message: expect.stringContaining('prepare leaves a transaction open') as string,
  });
});

test('an XA transaction that is left open ends with its schedule', async () => {
  const writer: Actor = async (clients) => {
    const connection = await clients.pool.getConnection();
    await connection.query("XA START 'one'");
    connection.release();
    await leaveOpen(clients);
  };
  expect(await resultsOf([writer, ({ pool }) => valueIn(pool)])).toEqual(['["returned",0]']);
});

test('a table without transactions is refused', async () => {
  const exploring = explore({
    servers: kitServers(),
    connect,
    setUp: ({ pool }) => pool.query('CREATE TABLE fast (id INT) ENGINE = MEMORY'),
    actors: [({ pool }) => pool.query('SELECT * FROM fast'), ({ redis }) => redis.get('key')],
    invariants: { 'it holds': () => true },
  });
  await expect(exploring).rejects.toThrow(/the table fast has the engine MEMORY; only InnoDB/);
});

test('a connection of its own, made by duplicate(), receives a message', async () => {
  const subscriber: Actor = async ({ redis }) => {
    const own = redis.duplicate();
    const message = new Promise((resolve) => {
      own.on('message', (_, text: string) => {
        resolve(text);
      });
    });
    await own.subscribe('news');
    if ((await redis.get('told')) === null) await message;
    own.disconnect();
    return 'heard';
  };
  const publisher: Actor = async ({ redis }) => {
    await redis.set('told', 'yes');
    await redis.publish('news', 'now');
    return 'told';
  };
  expect(await resultsOf([subscriber, publisher])).toEqual(['["heard","told"]']);
});

test('a loop over setInterval of node:timers/promises waits in the time of the schedule', async () => {
  const waiter: Actor = async ({ redis }) => {
    let looks = 0;
    for await (const tick of setInterval(100, 1)) {
      looks += tick;
      if ((await redis.get('done')) !== null) break;
    }
    return looks > 0;
  };
  expect(await resultsOf([waiter, ({ redis }) => redis.set('done', 'yes')])).toEqual(['[true,"OK"]']);
});

test.each([
  ['with a blank before its parenthesis', "SELECT GET_LOCK ('name', 10)", "SELECT RELEASE_LOCK ('name')"],
  ['that is released with all others', "SELECT GET_LOCK('name', 10)", 'SELECT RELEASE_ALL_LOCKS()'],
])('GET_LOCK %s', async (_, take, release) => {
  const locked: Actor = async ({ pool }) => {
    const connection = await pool.getConnection();
    try {
      await connection.query(take);
      const value = Number(await valueIn(connection));
      await connection.query('UPDATE counter SET value = ?', [value + 1]);
      await connection.query(release);
      return value;
    } finally {
      connection.release();
    }
  };
  expect(await resultsOf([locked, locked])).toEqual(['[0,1]', '[1,0]']);
});

test('a text with a call of GET_LOCK in it is a value', async () => {
  const logs: Actor = async ({ pool }) => {
    const [[row]] = await pool.query<RowDataPacket[]>(
      "SELECT CONCAT(?, value, 'GET_LOCK(') AS text FROM counter",
      ["failed: GET_LOCK('stock', 5) "],
    );
    return row?.['text'] as unknown;
  };
  expect(await resultsOf([logs, logs])).toEqual([
    JSON.stringify(Array(2).fill("failed: GET_LOCK('stock', 5) 0GET_LOCK(")),
  ]);
});

test('a row lock that is kept: the wait of the other one ends with the error of the database', async () => {
  const keeps: Actor = async ({ pool }) => {
    const connection = await pool.getConnection();
    await connection.query('START TRANSACTION');
    try {
      await connection.query('UPDATE counter SET value = 2');
      return 'updated';
    } catch (error) {
      const { code, errno } = error as { code: string; errno: number };
      return `${code} ${errno}`;
    }
  };
  expect(await resultsOf([keeps, keeps])).toEqual([
    '["ER_LOCK_WAIT_TIMEOUT 1205","updated"]',
    '["updated","ER_LOCK_WAIT_TIMEOUT 1205"]',
  ]);
});

/** Whether the other actor is refused what an actor held that died by this fault: the database keeps the session of a failed host. */
const DEATHS = [
  { fault: 'kill', isRefused: false },
  { fault: 'host-down', isRefused: true },
] as const;

/** Takes `name` within a second, and returns the reply; keeps it, or releases it. */
const obtains =
  (keeps: boolean): Actor =>
  async ({ pool }) => {
    const connection = await pool.getConnection();
    const [rows] = await connection.query("SELECT GET_LOCK('name', 1) AS obtained");
    if (!keeps) await connection.query("DO RELEASE_LOCK('name')");
    return rows;
  };

test('a GET_LOCK that is not released: the other one is answered 0 when its second is over', async () => {
  expect(await resultsOf([obtains(true), obtains(true)])).toEqual([
    '[[{"obtained":0}],[{"obtained":1}]]',
    '[[{"obtained":1}],[{"obtained":0}]]',
  ]);
});

test.each(DEATHS)(
  'a GET_LOCK of an actor that died by $fault makes the other one give up: $isRefused',
  async ({ fault, isRefused }) => {
    const results = await resultsOf([obtains(false), obtains(false)], { [fault]: 1 });
    expect(results).toContain('["died",[{"obtained":1}]]');
    expect(results.includes('["died",[{"obtained":0}]]')).toBe(isRefused);
  },
);

test.each(DEATHS)(
  'a row lock of an actor that died by $fault makes the other one fail: $isRefused',
  async ({ fault, isRefused }) => {
    const add = addAfter('START TRANSACTION');
    const results = await resultsOf([add, add], { [fault]: 1 });
    expect(results).toContain('["died",1]');
    expect(results.includes('["died","threw"]')).toBe(isRefused);
  },
);

/** Milliseconds, in which an explorer that does not wait for a connection counts its actor as waiting for another one. */
const CONNECTING_MS = 50;

const proxies: Server[] = [];
afterEach(() => {
  for (const proxy of proxies.splice(0)) proxy.close();
});

/** The address of a proxy that forwards connections to a server, and answers each only after `CONNECTING_MS`. */
async function openSlowProxy(uri: string): Promise<string> {
  const { hostname, port } = new URL(uri);
  const proxy = createServer((socket) => {
    const until = hrtime.bigint() + BigInt(CONNECTING_MS * 1_000_000);
    const wait = (): void => {
      if (hrtime.bigint() < until)
        setImmediate(wait); // timers are virtual in a schedule
      else socket.pipe(connectTo(Number(port), hostname).on('error', () => socket.destroy())).pipe(socket);
    };
    socket.on('error', () => undefined);
    wait();
  }).listen(0, '127.0.0.1');
  proxies.push(proxy);
  await once(proxy, 'listening');
  const host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return Object.assign(new URL(uri), { host }).href;
}

/** A subject whose first actor is in one process with an actor that reads. */
const besideReader = (actor: Actor, servers: Servers): Omit<Options<Clients>, 'invariants'> => ({
  servers,
  connect,
  setUp,
  prepare,
  actors: [actor, ({ pool }: Clients) => valueIn(pool)].map((run) => ({ process: 'p1', run })),
});

test('an actor whose pool opens a connection in a schedule is awaited, also beside another actor of its process', async () => {
  const servers = kitServers();
  const third: Actor = async ({ pool }) => {
    const connections = [await pool.getConnection(), await pool.getConnection(), await pool.getConnection()];
    const value = await valueIn(connections[2] ?? pool);
    for (const connection of connections) connection.destroy();
    return value;
  };
  const { results } = await showAll(
    besideReader(third, { ...servers, mysql: await openSlowProxy(servers.mysql) }),
    values,
  );
  expect(results).toEqual(['[0,0]']);
});

test('an actor that waits until its connection to Redis is open is awaited, also beside another actor of its process', async () => {
  const servers = kitServers();
  const get: Actor = async ({ redis }) => {
    const own = redis.duplicate({ lazyConnect: true });
    await own.connect();
    const value = await own.get('key');
    own.disconnect();
    return value ?? 'none';
  };
  const { results } = await showAll(
    besideReader(get, { ...servers, redis: await openSlowProxy(servers.redis) }),
    values,
  );
  expect(results).toEqual(['["none",0]']);
});

test('an actor that waits for a server that the explorer does not know is no dead-lock, also beside another actor of its process', async () => {
  const { port } = new URL(await openSlowProxy(kitServers().redis));
  const unseen: Actor = async () => {
    const socket = connectTo(Number(port), '127.0.0.1');
    socket.write('PING\r\n');
    const [reply] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    return reply.toString();
  };
  await expect(
    explore({ ...besideReader(unseen, kitServers()), invariants: { 'it is explored': () => true } }),
  ).rejects.toMatchObject({
    code: 'EXPLORE.OUTSIDE_THE_SEAM',
    message: expect.stringContaining('A after "ARRIVE at the process"') as unknown,
  });
});

describe('a session begins each schedule as it began the first one', () => {
  const count: Actor = async ({ redis }) => {
    await redis.incr('count');
    return 'counted';
  };

  test.each<[what: string, read: string, change: string]>([
    ['a user variable', 'SELECT @found AS value', 'SET @found = 1'],
    ['a variable in a SELECT', 'SELECT @found AS value', 'SELECT 1 INTO @found'],
    ['the schema', "SELECT DATABASE() LIKE 'lab%' AS value", 'USE information_schema'],
    [
      'the isolation level',
      "SELECT MAX(VARIABLE_VALUE = 'SERIALIZABLE') AS value FROM information_schema.SESSION_VARIABLES WHERE VARIABLE_NAME LIKE 't%_ISOLATION'",
      'SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE',
    ],
  ])('%s', async (_, read, change) => {
    const first: Actor = async ({ pool, redis }) => {
      const [[row]] = await pool.query<RowDataPacket[]>(read);
      await pool.query(change);
      await redis.incr('count');
      return String(row?.['value']);
    };
    const { results, schedules } = await showAll({ connect, setUp, prepare, actors: [first, count] }, values);
    expect(schedules).toBeGreaterThan(1);
    expect(results).toHaveLength(1);
  });

  test('a temporary table', async () => {
    const first: Actor = async ({ pool, redis }) => {
      await pool.query('CREATE TEMPORARY TABLE found (id INT)');
      await redis.incr('count');
      return 'created';
    };
    expect(await resultsOf([first, count])).toEqual(['["created","counted"]']);
  });

  test('a statement that was prepared and closed', async () => {
    const first: Actor = async ({ pool, redis }) => {
      const connection = await pool.getConnection();
      try {
        const statement = await connection.prepare('SELECT ? AS value');
        await statement.execute([1]);
        await statement.close();
        await redis.incr('count');
        return 'executed';
      } finally {
        connection.release();
      }
    };
    expect(await resultsOf([first, count])).toEqual(['["executed","counted"]']);
  });

  test('a connection to Redis that its actor has ended', async () => {
    const first: Actor = async ({ redis }) => {
      await redis.incr('count');
      return redis.quit();
    };
    expect(await resultsOf([first, count])).toEqual(['["OK","counted"]']);
  });
});

test('a function that releases a named lock ends the wait of another actor', async () => {
  const setUpFunction = async (clients: Clients): Promise<void> => {
    await setUp(clients);
    await clients.pool.query("CREATE FUNCTION release_it() RETURNS INT RETURN RELEASE_LOCK('it')");
  };
  const take =
    (release: string): Actor =>
    async ({ pool }) => {
      const connection = await pool.getConnection();
      try {
        const [[row]] = await connection.query<RowDataPacket[]>("SELECT GET_LOCK('it', 5) AS taken");
        await connection.query(release);
        return Number(row?.['taken']);
      } finally {
        connection.release();
      }
    };
  const actors = [take('SELECT release_it()'), take("SELECT RELEASE_LOCK('it')")] as const;
  const { results } = await showAll({ connect, setUp: setUpFunction, prepare, actors: [...actors] }, values);
  expect(results).toEqual(['[1,1]']);
});
