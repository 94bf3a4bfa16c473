import { Redis } from 'ioredis';
import * as mysql from 'mysql2';
import { createPool, type Pool, type RowDataPacket } from 'mysql2/promise';
import { Column, DataSource, Entity, PrimaryColumn } from 'typeorm';
import { showAll } from './support';

@Entity()
class Counter {
  @PrimaryColumn()
  id!: number;

  @Column()
  value!: number;
}

const typeOrm = {
  connect: ({ mysql: url }: { mysql: string }) => ({
    db: new DataSource({ type: 'mysql', url, entities: [Counter] }),
  }),
  setUp: ({ db }: { db: DataSource }) => db.synchronize(),
  prepare: ({ db }: { db: DataSource }) => db.getRepository(Counter).save({ id: 1, value: 0 }),
};
const counterOf = async ({ db }: { db: DataSource }): Promise<number | undefined> =>
  (await db.getRepository(Counter).findOneBy({ id: 1 }))?.value;

describe('TypeORM', () => {
  test('repositories: an update is lost in some orders', async () => {
    const increment = async ({ db }: { db: DataSource }): Promise<void> => {
      const counters = db.getRepository(Counter);
      const { value } = await counters.findOneByOrFail({ id: 1 });
      await counters.update(1, { value: value + 1 });
    };
    const { results, lanes } = await showAll({ ...typeOrm, actors: [increment, increment] }, counterOf);
    expect(results).toEqual(['1', '2']);
    expect(lanes).toMatch(/SELECT `Counter`/);
    expect(lanes).toMatch(/UPDATE `counter` SET/);
  });

  test('transactions with a lock: both orders, and no lost update', async () => {
    const increment = ({ db }: { db: DataSource }): Promise<number> =>
      db.transaction(async (manager) => {
        const counter = await manager.findOneOrFail(Counter, {
          where: { id: 1 },
          lock: { mode: 'pessimistic_write' },
        });
        await manager.update(Counter, 1, { value: counter.value + 1 });
        return counter.value;
      });
    const { results, lanes } = await showAll(
      { ...typeOrm, actors: [increment, increment] },
      async (clients, outcomes) => [await counterOf(clients), ...outcomes.map(({ value }) => value)],
    );
    expect(results).toEqual(['[2,0,1]', '[2,1,0]']);
    expect(lanes).toMatch(/START TRANSACTION/);
    expect(lanes).toMatch(/COMMIT/);
  });

  test('query builders: one of two conditional updates finds the row', async () => {
    const take = async ({ db }: { db: DataSource }): Promise<number | undefined> => {
      const { affected } = await db
        .createQueryBuilder()
        .update(Counter)
        .set({ value: 1 })
        .where('id = 1 AND value = 0')
        .execute();
      return affected;
    };
    const { results, lanes } = await showAll({ ...typeOrm, actors: [take, take] }, (_, outcomes) =>
      outcomes.map(({ value }) => value),
    );
    expect(results).toEqual(['[0,1]', '[1,0]']);
    expect(lanes).toMatch(/UPDATE `counter` SET/);
  });
});

describe('mysql2', () => {
  const setUp = ({ pool }: { pool: Pool }): Promise<unknown> =>
    pool.query('CREATE TABLE counter (id INT PRIMARY KEY, value INT NOT NULL)');
  const prepare = ({ pool }: { pool: Pool }): Promise<unknown> =>
    pool.query('REPLACE INTO counter VALUES (1, 0)');
  const connect = ({ mysql: uri }: { mysql: string }) => ({ pool: createPool({ uri, connectionLimit: 3 }) });
  const valueOf = async ({ pool }: { pool: Pool }): Promise<unknown> => {
    const [[row]] = await pool.query<RowDataPacket[]>('SELECT value FROM counter');
    return row?.['value'];
  };

  test('query and execute of a promise pool', async () => {
    const increment = async ({ pool }: { pool: Pool }): Promise<void> => {
      const [[row]] = await pool.query<RowDataPacket[]>(
        "SELECT value, '?' AS mark FROM counter WHERE id = ?",
        [1],
      );
      await pool.execute('UPDATE counter SET value = ? WHERE id = ?', [Number(row?.['value']) + 1, 1]);
    };
    const { results, lanes } = await showAll(
      { connect, setUp, prepare, actors: [increment, increment] },
      valueOf,
    );
    expect(results).toEqual(['1', '2']);
    expect(lanes).toMatch(/SELECT value, '\?'/);
    expect(lanes).toMatch(/UPDATE counter SET value = 1/);
  });

  test('a transaction on one connection, in lower case', async () => {
    const increment = async ({ pool }: { pool: Pool }): Promise<number> => {
      const connection = await pool.getConnection();
      try {
        await connection.beginTransaction();
        const [[row]] = await connection.query<RowDataPacket[]>('select value from counter for update');
        const value = Number(row?.['value']);
        await connection.query('update counter set value = ?', [value + 1]);
        await connection.commit();
        return value;
      } finally {
        connection.release();
      }
    };
    const { results } = await showAll(
      { connect, setUp, prepare, actors: [increment, increment] },
      async (clients, outcomes) => [await valueOf(clients), ...outcomes.map(({ value }) => value)],
    );
    expect(results).toEqual(['[2,0,1]', '[2,1,0]']);
  });

  test('a deadlock: the database aborts one of two transactions', async () => {
    const update =
      (...ids: number[]) =>
      async ({ pool }: { pool: Pool }): Promise<void> => {
        const connection = await pool.getConnection();
        try {
          await connection.beginTransaction();
          for (const id of ids)
            await connection.query('UPDATE counter SET value = value + 1 WHERE id = ?', [id]);
          await connection.commit();
        } catch (error) {
          await connection.rollback();
          throw error;
        } finally {
          connection.release();
        }
      };
    const { results } = await showAll(
      {
        connect,
        setUp,
        prepare: ({ pool }) => pool.query('REPLACE INTO counter VALUES (1, 0), (2, 0)'),
        actors: [update(1, 2), update(2, 1)],
      },
      (_, outcomes) => outcomes.map(({ state }) => state),
    );
    expect(results).toContain('["returned","returned"]');
    expect(results.some((result) => result.includes('threw'))).toBe(true);
  });

  test('callbacks', async () => {
    const increment = ({ pool }: { pool: mysql.Pool }): Promise<void> =>
      new Promise((resolve, reject) => {
        pool.query<RowDataPacket[]>('SELECT value FROM counter', (failed, [row]) => {
          if (failed) reject(failed);
          pool.query('UPDATE counter SET value = ?', [Number(row?.['value']) + 1], (error) => {
            if (error) reject(error);
            else resolve();
          });
        });
      });
    const run = (pool: mysql.Pool, sql: string): Promise<unknown> => pool.promise().query(sql);
    const { results } = await showAll(
      {
        connect: ({ mysql: uri }) => ({ pool: mysql.createPool({ uri }) }),
        setUp: ({ pool }) => run(pool, 'CREATE TABLE counter (id INT PRIMARY KEY, value INT NOT NULL)'),
        prepare: ({ pool }) => run(pool, 'REPLACE INTO counter VALUES (1, 0)'),
        actors: [increment, increment],
      },
      async ({ pool }) => {
        const [[row]] = await pool.promise().query<RowDataPacket[]>('SELECT value FROM counter');
        return row?.['value'] as unknown;
      },
    );
    expect(results).toEqual(['1', '2']);
  });
});

describe('ioredis', () => {
  interface Clients {
    readonly redis: Redis;
    readonly other: Redis;
  }
  const connect = ({ redis }: { redis: string }): Clients => ({
    redis: new Redis(redis),
    other: new Redis(redis),
  });
  const countOf = ({ redis }: Clients): Promise<string | null> => redis.get('count');

  test('commands: an update is lost in some orders', async () => {
    const increment = async ({ redis }: Clients): Promise<void> => {
      await redis.set('count', Number(await redis.get('count')) + 1);
    };
    const { results, lanes } = await showAll({ connect, actors: [increment, increment] }, countOf);
    expect(results).toEqual(['"1"', '"2"']);
    expect(lanes).toMatch(/GET count/);
  });

  test('a pipeline is not atomic: another command may come between its commands', async () => {
    const { results, lanes } = await showAll(
      {
        connect,
        actors: [
          ({ redis }: Clients) => redis.pipeline().set('count', 1).get('count').exec(),
          ({ redis }: Clients) => redis.set('count', 2),
        ],
      },
      (_, outcomes) => outcomes[0]?.value,
    );
    expect(results).toEqual(['[[null,"OK"],[null,"1"]]', '[[null,"OK"],[null,"2"]]']);
    expect(lanes).toMatch(/SET count 1/);
  });

  test('MULTI is atomic', async () => {
    const { results, lanes } = await showAll(
      {
        connect,
        actors: [
          ({ redis }: Clients) => redis.multi().set('count', 1).get('count').exec(),
          ({ redis }: Clients) => redis.set('count', 2),
        ],
      },
      async (clients, outcomes) => [await countOf(clients), outcomes[0]?.value],
    );
    expect(results).toEqual(['["1",[[null,"OK"],[null,"1"]]]', '["2",[[null,"OK"],[null,"1"]]]']);
    expect(lanes).toMatch(/MULTI; SET count 1/);
  });

  test('WATCH aborts the MULTI of the second, also when the key has an expiry', async () => {
    const increment = async ({ redis }: Clients): Promise<boolean> => {
      await redis.watch('count');
      const count = Number(await redis.get('count'));
      return (
        (await redis
          .multi()
          .set('count', count + 1, 'PX', 10_000)
          .exec()) !== null
      );
    };
    const { results } = await showAll(
      {
        connect,
        prepare: ({ redis }) => redis.set('count', 0, 'PX', 10_000),
        actors: [increment, increment],
      },
      async (clients, outcomes) => [
        await countOf(clients),
        outcomes.filter(({ value }) => value === true).length,
      ],
    );
    expect(results).toEqual(['["1",1]', '["2",2]']);
  });

  test('MULTI in single commands', async () => {
    const increment = async ({ redis }: Clients): Promise<unknown> => {
      await redis.multi({ pipeline: false });
      await redis.incr('count');
      return redis.exec();
    };
    const { results, lanes } = await showAll({ connect, actors: [increment, increment] }, (_, outcomes) =>
      outcomes.map(({ value }) => value),
    );
    expect(results).toEqual(['[[[null,1]],[[null,2]]]', '[[[null,2]],[[null,1]]]']);
    expect(lanes).toMatch(/EXEC/);
  });

  test('Lua: eval and defineCommand are one step each', async () => {
    const script = "return redis.call('INCR', KEYS[1])";
    const { results, schedules, lanes } = await showAll(
      {
        connect: (servers) => {
          const clients = connect(servers);
          clients.redis.defineCommand('increment', { numberOfKeys: 1, lua: script });
          return clients as Clients & { redis: { increment(key: string): Promise<number> } };
        },
        actors: [({ redis }) => redis.eval(script, 1, 'count'), ({ redis }) => redis.increment('count')],
      },
      (_, outcomes) => outcomes.map(({ value }) => value),
    );
    expect([results, schedules]).toEqual([['[1,2]', '[2,1]'], 2]);
    expect(lanes).toMatch(/EVALSHA increment count/);
  });

  test.each<[name: string, pop: (redis: Redis) => Promise<unknown>]>([
    ['blpop', (redis) => redis.blpop('queue', 0)],
    ['call with BLPOP in upper case', (redis) => redis.call('BLPOP', 'queue', 0)],
  ])('a blocking command waits until another actor writes: %s', async (_, pop) => {
    const { results, lanes } = await showAll(
      {
        connect,
        actors: [
          ({ redis }: Clients) => pop(redis),
          async ({ redis }: Clients) => {
            await redis.set('before', 1);
            await redis.lpush('queue', 'job');
          },
        ],
      },
      (__, outcomes) => outcomes.map(({ value }) => value ?? null),
    );
    expect(results).toEqual(['[["queue","job"],null]']);
    expect(lanes).toMatch(/BLPOP queue/);
  });

  test('a blocking command ends after its time, which is that of the schedule', async () => {
    const pop = async ({ redis }: Clients): Promise<[number, unknown]> => {
      const begun = Date.now(); // eslint-disable-line no-restricted-properties -- as the code of a user
      const popped = await redis.blpop('queue', 3600);
      return [Date.now() - begun, popped]; // eslint-disable-line no-restricted-properties -- as above
    };
    const { results } = await showAll(
      { connect, actors: [pop, ({ redis }: Clients) => redis.get('nothing')] },
      (_, outcomes) => outcomes[0]?.value,
    );
    expect(results).toEqual(['[3600000,null]']);
  });

  test('publish and subscribe', async () => {
    const { results, lanes } = await showAll(
      {
        connect,
        actors: [
          async ({ redis, other }: Clients) => {
            const message = new Promise((resolve) => {
              other.once('message', (_channel, text) => {
                resolve(text);
              });
            });
            await other.subscribe('news');
            const known = await redis.get('known');
            return known ?? (await message);
          },
          async ({ redis }: Clients) => {
            await redis.set('known', 'yes');
            return redis.publish('news', 'hello');
          },
        ],
      },
      (_, outcomes) => outcomes.map(({ value }) => value),
    );
    expect(results).toEqual(['["hello",1]', '["yes",0]', '["yes",1]']);
    expect(lanes).toMatch(/SUBSCRIBE news/);
  });

  test('a timer of an actor has the time of the schedule', async () => {
    const LEASE_MS = 500_000; // in two schedules longer than the test may take
    const { results } = await showAll(
      {
        connect,
        prepare: ({ redis }) => redis.set('lock', 'other', 'PX', LEASE_MS),
        actors: [
          async ({ redis }: Clients) => {
            let looks = 1;
            while ((await redis.set('lock', 'mine', 'PX', LEASE_MS, 'NX')) === null) {
              looks++;
              await new Promise((resolve) => setTimeout(resolve, LEASE_MS / 40));
            }
            return looks > 1;
          },
          ({ redis }: Clients) => redis.get('nothing'),
        ],
      },
      (_, outcomes) => outcomes[0]?.value,
    );
    expect(results).toEqual(['true']);
  });
});
