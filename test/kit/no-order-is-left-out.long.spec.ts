import type { ActorOutcome, Faults } from '#lab/kit';
import { Redis } from 'ioredis';
import { createPool, type Pool, type RowDataPacket } from 'mysql2/promise';
import { showAll, violationOf } from './support';

/** Each test has an ending that occurs in few orders of the steps: code of users may depend on more than the lab's own code does. */

interface Clients {
  readonly pool: Pool;
  /** Accepts several statements in one text. */
  readonly several: Pool;
  readonly redis: Redis;
  /** A second connection of Redis, for a command that waits. */
  readonly waiting: Redis;
}

const connect = ({ mysql, redis }: { mysql: string; redis: string }): Clients => ({
  pool: createPool({ uri: mysql, connectionLimit: 3 }),
  several: createPool({ uri: mysql, multipleStatements: true }),
  redis: new Redis(redis),
  waiting: new Redis(redis),
});

/** Its name in MariaDB or MySQL. */
let isolationVariable = '';

const setUp = async ({ pool }: Clients): Promise<void> => {
  const [[variable]] = await pool.query<RowDataPacket[]>(
    "SHOW VARIABLES WHERE Variable_name IN ('tx_isolation', 'transaction_isolation')",
  );
  isolationVariable = String(variable?.['Variable_name']);
  await pool.query('CREATE TABLE counter (id INT PRIMARY KEY, value INT NOT NULL)');
  await pool.query('CREATE TABLE audit (id INT PRIMARY KEY AUTO_INCREMENT, actor VARCHAR(8))');
  await pool.query(`CREATE FUNCTION next_number() RETURNS INT MODIFIES SQL DATA
    BEGIN UPDATE counter SET value = value + 1; RETURN (SELECT value FROM counter); END`);
  await pool.query('CREATE VIEW inner_numbers AS SELECT next_number() AS number');
  await pool.query('CREATE VIEW next_numbers AS SELECT number FROM inner_numbers');
  await pool.query('CREATE SEQUENCE number NOCACHE');
};

const prepare = async ({ pool }: Clients): Promise<void> => {
  await pool.query('REPLACE INTO counter VALUES (1, 0)');
  await pool.query('DELETE FROM audit');
};

const countAudit = async ({ pool }: Pick<Clients, 'pool'>): Promise<number> => {
  const [rows] = await pool.query<RowDataPacket[]>('SELECT id FROM audit');
  return rows.length;
};

const readCounter = async (pool: Pick<Pool, 'query'>): Promise<unknown> => {
  const [[row]] = await pool.query<RowDataPacket[]>('SELECT value FROM counter');
  return row?.['value'];
};

const readSequence = async ({ pool }: Clients): Promise<unknown> => {
  const [[row]] = await pool.query<RowDataPacket[]>('SELECT next_not_cached_value AS next FROM number');
  return row?.['next'];
};

const readNextId = async ({ pool }: Clients): Promise<unknown> => {
  const [[row]] = await pool.query<RowDataPacket[]>(
    "SELECT AUTO_INCREMENT AS next FROM information_schema.TABLES WHERE TABLE_NAME = 'audit'",
  );
  return row?.['next'];
};

type Actor = (clients: Clients) => Promise<unknown>;

/** What the second one of two actors returned. */
const second = (_: Clients, outcomes: readonly ActorOutcome[]): unknown => outcomes[1]?.value;

/**
 * Every one of these results is that of a schedule which the search counts: an invariant that excludes it is violated. Also when the
 * actors exchange their names, which decide what is searched first.
 */
async function expectResults(
  [first, other]: readonly [Actor, Actor],
  resultOf: (clients: Clients, outcomes: readonly ActorOutcome[]) => unknown,
  expected: readonly unknown[],
  faults: Faults = {},
): Promise<void> {
  const start = { connect, setUp, prepare, faults };
  for (const result of expected.map((one) => JSON.stringify(one))) {
    const isAnother = async (clients: Clients, outcomes: readonly ActorOutcome[]): Promise<boolean> =>
      JSON.stringify(await resultOf(clients, outcomes)) !== result;
    await violationOf({ ...start, actors: [first, other], invariants: { [`not ${result}`]: isAnother } });
    await violationOf({
      ...start,
      actors: [other, first],
      invariants: { [`not ${result}`]: (clients, outcomes) => isAnother(clients, outcomes.toReversed()) },
    });
  }
}

/** Pushes a job, and says whether a client waited for it in BLPOP. */
const producer = async ({ redis }: Clients): Promise<string> => {
  const clients = String(await redis.client('LIST'));
  await redis.rpush('queue', 'job');
  return /flags=b .*cmd=blpop/.test(clients) ? 'waited' : 'did not wait';
};

/** Runs code on one connection of the pool. */
async function onConnection<T>(
  { pool }: Clients,
  run: (connection: Awaited<ReturnType<Pool['getConnection']>>) => Promise<T>,
): Promise<T> {
  const connection = await pool.getConnection();
  try {
    return await run(connection);
  } finally {
    connection.release();
  }
}

test('a write beside an open transaction is visible at once', async () => {
  const writer = (clients: Clients): Promise<void> =>
    onConnection(clients, async (connection) => {
      await connection.beginTransaction();
      await connection.query('UPDATE counter SET value = 1');
      await clients.pool.query("INSERT INTO audit (actor) VALUES ('A')");
      await connection.commit();
    });
  await expectResults([writer, countAudit], second, [0, 1]);
});

test('a statement that begins a transaction commits the one that is open', async () => {
  const writer = (clients: Clients): Promise<void> =>
    onConnection(clients, async (connection) => {
      await connection.beginTransaction();
      await connection.query('UPDATE counter SET value = 1');
      await connection.beginTransaction();
      await connection.commit();
    });
  await expectResults([writer, ({ pool }) => readCounter(pool)], second, [0, 1]);
});

test('a statement that begins a transaction frees the rows of the one that is open', async () => {
  const add = (connection: Pick<Pool, 'query'>): Promise<unknown> =>
    connection.query('UPDATE counter SET value = value + 1');
  const writer = (clients: Clients): Promise<void> =>
    onConnection(clients, async (connection) => {
      await connection.beginTransaction();
      await add(connection);
      await connection.beginTransaction();
      await clients.redis.incr('began');
      await connection.commit();
    });
  const other = async ({ pool, redis }: Clients): Promise<unknown> => {
    await add(pool);
    return redis.get('began');
  };
  const ending = async (clients: Clients, outcomes: readonly ActorOutcome[]): Promise<unknown> => [
    await readCounter(clients.pool),
    second(clients, outcomes),
  ];
  const { results } = await showAll({ connect, setUp, prepare, actors: [writer, other] }, ending);
  expect(results).toEqual(['[2,"1"]', '[2,null]']);
});

test('LOCK TABLES commits the open transaction', async () => {
  const writer = (clients: Clients): Promise<void> =>
    onConnection(clients, async (connection) => {
      await connection.beginTransaction();
      await connection.query('UPDATE counter SET value = 1');
      await connection.query('LOCK TABLES audit WRITE');
      await connection.query('UNLOCK TABLES');
    });
  await expectResults([writer, ({ pool }) => readCounter(pool)], second, [0, 1]);
});

test('a statement that begins a transaction frees the tables of LOCK TABLES', async () => {
  const holder = (clients: Clients): Promise<void> =>
    onConnection(clients, async (connection) => {
      await connection.query('LOCK TABLES counter WRITE');
      await connection.beginTransaction();
      await connection.commit();
    });
  const other = (clients: Clients): Promise<string> =>
    onConnection(clients, (connection) =>
      connection.query('LOCK TABLES counter WRITE NOWAIT').then(
        () => connection.query('UNLOCK TABLES').then(() => 'free'),
        () => 'locked',
      ),
    );
  await expectResults([holder, other], second, ['free', 'locked']);
});

test('a sequence and the next id of a table show what an open transaction has taken', async () => {
  const numbers = { taken: 0, id: 0 };
  const begin = async (clients: Clients): Promise<void> => {
    await prepare(clients);
    numbers.taken = Number(await readSequence(clients));
    numbers.id = Number(await readNextId(clients));
  };
  const writer = (clients: Clients): Promise<void> =>
    onConnection(clients, async (connection) => {
      await connection.beginTransaction();
      await connection.query("INSERT INTO audit (actor) SELECT CONCAT('n', NEXTVAL(number))");
      await connection.rollback();
    });
  const start = { connect, setUp, prepare: begin };
  const readers = [
    async (clients: Clients) => Number(await readSequence(clients)) - numbers.taken,
    async (clients: Clients) => Number(await readNextId(clients)) - numbers.id,
  ];
  for (const reader of readers) {
    const { results } = await showAll({ ...start, actors: [writer, reader] }, second);
    expect(results).toEqual(['0', '1']);
  }
});

test.each([
  ['a view', 'SELECT number FROM next_numbers'],
  ['a SELECT', 'SELECT next_number() AS number'],
])('%s may call a function that writes', async (_, select) => {
  const take = async ({ pool }: Clients): Promise<unknown> => {
    const [[row]] = await pool.query<RowDataPacket[]>(select);
    return row?.['number'];
  };
  const numbers = (_: Clients, outcomes: readonly ActorOutcome[]): unknown =>
    outcomes.map(({ value }) => value);
  await expectResults([take, take], numbers, [
    [1, 2],
    [2, 1],
  ]);
});

test('COMMIT shows what a function in a SELECT has written', async () => {
  const writer = (clients: Clients): Promise<void> =>
    onConnection(clients, async (connection) => {
      await connection.beginTransaction();
      await connection.query('SELECT next_number()');
      await connection.commit();
    });
  await expectResults([writer, ({ pool }) => readCounter(pool)], second, [0, 1]);
});

test('a session commits each statement again after autocommit was off', async () => {
  const writer = (clients: Clients): Promise<void> =>
    onConnection(clients, async (connection) => {
      await connection.query('SET autocommit = 0');
      await connection.query('SET autocommit = 1');
      await connection.query('UPDATE counter SET value = 1');
      await clients.redis.get('nothing');
    });
  await expectResults([writer, ({ pool }) => readCounter(pool)], second, [0, 1]);
});

test('several statements in one text', async () => {
  const writer = async ({ several }: Clients): Promise<void> => {
    await several.query('START TRANSACTION; UPDATE counter SET value = 1; COMMIT');
  };
  await expectResults([writer, ({ pool }) => readCounter(pool)], second, [0, 1]);
});

test('a prepared statement is a step', async () => {
  const reader = (clients: Clients): Promise<unknown> =>
    onConnection(clients, async (connection) => {
      const statement = await connection.prepare('SELECT value FROM counter');
      const [rows] = (await statement.execute([])) as unknown as [RowDataPacket[]];
      return rows[0]?.['value'] as unknown;
    });
  const writer = ({ pool }: Clients): Promise<unknown> => pool.query('UPDATE counter SET value = 1');
  await expectResults([writer, reader], second, [0, 1]);
});

test('a command that waits in Redis may be answered before any step of its actor', async () => {
  const reader = async ({ pool, waiting }: Clients): Promise<boolean> => {
    let isThere = false;
    const job = waiting.blpop('queue', 30).then(() => {
      isThere = true;
    });
    await readCounter(pool);
    const wasThere = isThere;
    await job;
    return wasThere;
  };
  const both = (_: Clients, outcomes: readonly ActorOutcome[]): unknown => outcomes.map(({ value }) => value);
  await expectResults([producer, reader], both, [
    ['waited', true],
    ['waited', false],
  ]);
});

test('an isolation level that is set by its variable', async () => {
  const reader = async ({ pool }: Clients): Promise<unknown> => {
    const connection = await pool.getConnection();
    try {
      await connection.query(`SET ${isolationVariable} = 'READ-UNCOMMITTED'`);
      return await readCounter(connection);
    } finally {
      connection.destroy();
    }
  };
  const writer = (clients: Clients): Promise<void> =>
    onConnection(clients, async (connection) => {
      await connection.beginTransaction();
      await connection.query('UPDATE counter SET value = 1');
      await connection.rollback();
    });
  await expectResults([writer, reader], second, [0, 1]);
});

test('code that reads the clock: the time is over after a step that no other actor can notice', async () => {
  const sell = (clients: Clients): Promise<string> =>
    onConnection(clients, async (connection) => {
      await clients.redis.set('lock', 'me', 'PX', 10_000);
      // eslint-disable-next-line no-restricted-properties -- it is virtual in a schedule
      const until = Date.now() + 10_000;
      await connection.beginTransaction();
      // eslint-disable-next-line no-restricted-properties -- as above
      const result = Date.now() < until ? 'in time' : 'too late';
      await connection.rollback();
      return result;
    });
  await expectResults([({ redis }) => redis.get('lock'), sell], second, ['in time', 'too late'], {
    lapse: 1,
  });
});

test('a process that is cut off is killed before its last command, which is not sent', async () => {
  const seller = async ({ pool, redis }: Clients): Promise<string> => {
    const name = await redis.get('name').then(
      () => 'reached',
      () => 'cut off',
    );
    await pool.query('INSERT INTO audit (actor) VALUES (?)', [name]);
    await redis.del('lock').catch(() => undefined);
    return 'done';
  };
  const ending = async ({ pool }: Clients, outcomes: readonly ActorOutcome[]): Promise<unknown> => {
    const [rows] = await pool.query<RowDataPacket[]>('SELECT actor FROM audit');
    return [outcomes[1]?.value ?? 'killed', rows.map(({ actor }) => actor as string)];
  };
  await expectResults([({ redis }) => redis.get('other'), seller], ending, [['killed', ['cut off']]], {
    cut: 1,
    kill: 1,
  });
});

test('a process is killed while its command waits in Redis', async () => {
  const worker = async ({ pool, waiting }: Clients): Promise<void> => {
    if ((await waiting.blpop('queue', 30)) === null) return;
    await pool.query("INSERT INTO audit (actor) VALUES ('A')");
  };
  const ending = async (clients: Clients, outcomes: readonly ActorOutcome[]): Promise<unknown> => [
    second(clients, outcomes),
    await clients.redis.llen('queue'),
    await countAudit(clients),
  ];
  const endings = [
    ['waited', 1, 0], // killed before the job came
    ['waited', 0, 0], // killed with the job
    ['waited', 0, 1],
  ];
  await expectResults([worker, producer], ending, endings, { kill: 1 });
});

test('a message arrives before a step that no other actor can notice', async () => {
  const subscriber = async (clients: Clients): Promise<string> => {
    let isCancelled = false;
    clients.waiting.on('message', () => {
      isCancelled = true;
    });
    await clients.waiting.subscribe('cancel');
    return onConnection(clients, async (connection) => {
      await connection.beginTransaction();
      const result = isCancelled ? 'cancelled' : 'done';
      await connection.rollback();
      return result;
    });
  };
  await expectResults([({ redis }) => redis.publish('cancel', 'now'), subscriber], second, [
    'cancelled',
    'done',
  ]);
});

test('SET with GET creates a key although it replies null', async () => {
  const setter = async ({ redis }: Clients): Promise<void> => {
    await redis.set('key', 'A', 'GET');
    await redis.incr('count');
  };
  const other = async ({ redis }: Clients): Promise<unknown> => {
    await redis.set('key', 'B');
    await redis.del('key');
    return redis.mget('key', 'count');
  };
  const seen = [
    [null, null],
    ['A', null],
    [null, '1'],
    ['A', '1'],
  ];
  await expectResults([setter, other], second, seen, { lapse: 1 }); // there is no lease, but equal states are recognized
});
