import { explore, InvariantViolated, type Options } from '#lab/kit';
import { UnobservedCommand } from '#lab/explore';
import { Redis } from 'ioredis';
import { createPool, type Pool } from 'mysql2/promise';
import { DataSource } from 'typeorm';
import { kitServers } from './support';

const servers = kitServers();

/** As a module that opens its client when it is imported. */
const ofModule = new Redis(servers.redis);
const poolOfModule = createPool(servers.mysql);
afterAll(async () => {
  ofModule.disconnect();
  await poolOfModule.end();
});

interface Clients {
  readonly redis: Redis;
}

/** What ends the connections that `connect` has hidden. */
const ends: (() => unknown)[] = [];
afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()));
});

function hidden(url: string): Redis {
  const redis = new Redis(url);
  ends.push(() => {
    redis.disconnect();
  });
  return redis;
}

function hiddenPool(url: string): Pool {
  const pool = createPool(url);
  ends.push(() => pool.end());
  return pool;
}

/** Explores two actors that use an observed ioredis client, and something else. */
const exploreWith = <More extends object>(
  more: (addresses: { readonly redis: string; readonly mysql: string }) => More,
  act: (clients: Clients & More) => unknown,
  options: Partial<Options<Clients & More>> = {},
): Promise<{ readonly schedules: number; readonly complete: boolean }> => {
  const run = async (clients: Clients & More): Promise<void> => {
    await clients.redis.incr('observed');
    await act(clients);
  };
  return explore<Clients & More>({
    servers,
    connect: (addresses) => ({ redis: new Redis(addresses.redis), ...more(addresses) }),
    actors: [run, run],
    invariants: { 'it holds': () => true },
    ...options,
  });
};

const port = (url: string): string => new URL(url).port;
const IS_NOT_OBSERVED = /was sent by a client that is not observed, .*return .* from connect/;

describe('a command of an actor over a client that is not observed ends the search with an error', () => {
  const redis = (command: string): string => `"${command}" to Redis (port ${port(servers.redis)})`;
  const database = (command: string): string => `"${command}" to the database (port ${port(servers.mysql)})`;

  const expectRefused = async (command: string, exploring: Promise<unknown>): Promise<void> => {
    const error: unknown = await exploring.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(UnobservedCommand);
    expect(error).toMatchObject({ code: 'EXPLORE.UNOBSERVED' });
    expect((error as Error).message).toContain(command);
    expect((error as Error).message).toMatch(IS_NOT_OBSERVED);
  };

  test('ioredis in a closure', () =>
    expectRefused(
      redis('INCR hidden'),
      exploreWith(
        ({ redis: url }) => {
          const inner = hidden(url);
          return { next: () => inner.incr('hidden') };
        },
        ({ next }) => next(),
      ),
    ));

  test('ioredis that a module has opened when it was imported', () =>
    expectRefused(
      redis('INCR hidden'),
      exploreWith(
        () => ({}),
        () => ofModule.incr('hidden'),
      ),
    ));

  test('ioredis that the actor opens, with one command', () =>
    expectRefused(
      redis('INCR hidden'),
      exploreWith(
        () => ({}),
        () => hidden(servers.redis).incr('hidden'),
      ),
    ));

  test('ioredis that connects when its first command is sent', () =>
    expectRefused(
      redis('SET hidden 1'),
      exploreWith(
        ({ redis: url }) => {
          const inner = new Redis(url, { lazyConnect: true });
          ends.push(() => {
            inner.disconnect();
          });
          return { next: () => inner.multi().set('hidden', 1).exec() };
        },
        ({ next }) => next(),
      ),
    ));

  test('a pool of mysql2 in a closure', () =>
    expectRefused(
      database('SELECT COUNT(*) FROM information_schema.TABLES'),
      exploreWith(
        ({ mysql: url }) => {
          const pool = hiddenPool(url);
          return { next: () => pool.query('SELECT COUNT(*) FROM information_schema.TABLES') };
        },
        ({ next }) => next(),
      ),
    ));

  test('a pool of mysql2 that a module has opened, with a prepared statement', () =>
    expectRefused(
      database('SELECT SLEEP(?)'),
      exploreWith(
        () => ({}),
        () => poolOfModule.execute('SELECT SLEEP(?)', [0]),
      ),
    ));

  test('a data source of TypeORM in a closure', () =>
    expectRefused(
      database('SELECT SLEEP(0)'),
      exploreWith(
        ({ mysql: url }) => {
          const source = new DataSource({ type: 'mysql', url });
          ends.push(() => (source.isInitialized ? source.destroy() : undefined));
          return {
            next: async () => {
              if (!source.isInitialized) await source.initialize();
              await source.query('SELECT SLEEP(0)');
            },
          };
        },
        ({ next }) => next(),
        { actors: [({ next }) => next(), async ({ redis: own }) => own.get('a')] },
      ),
    ));

  test('a command that is sent later by a queue of the module', () => {
    const jobs: (() => void)[] = [];
    const timer = setInterval(() => jobs.shift()?.(), 1); // runs outside of the actors
    ends.push(() => {
      clearInterval(timer);
    });
    return expectRefused(
      redis('INCR hidden'),
      exploreWith(
        ({ redis: url }) => {
          const inner = hidden(url);
          return {
            next: () =>
              new Promise<void>((resolve) => {
                jobs.push(
                  () =>
                    void inner.incr('hidden').then(() => {
                      resolve();
                    }),
                );
              }),
          };
        },
        ({ next }) => next(),
      ),
    );
  });

  test('in the schedule of a token', async () => {
    let isHidden = false;
    const options = {
      invariants: { 'it holds': () => isHidden },
    };
    const explored = (): Promise<unknown> =>
      exploreWith(
        () => ({}),
        () => (isHidden ? ofModule.incr('hidden') : undefined),
        options,
      );
    const found: unknown = await explored().catch((error: unknown) => error);
    expect(found).toBeInstanceOf(InvariantViolated);
    isHidden = true;
    Object.assign(options, { token: (found as InvariantViolated).token });
    await expectRefused(redis('INCR hidden'), explored());
  });
});

test('a violation that is found is thrown, also where a command is not observed', async () => {
  const found = exploreWith(
    () => ({}),
    async ({ redis }) => {
      const read = Number(await redis.get('sum'));
      await ofModule.incr('hidden');
      await redis.set('sum', read + 1);
    },
    { invariants: { 'both are counted': async ({ redis }) => (await redis.get('sum')) === '2' } },
  );
  await expect(found).rejects.toMatchObject({ name: 'InvariantViolated' });
});

test('a violation that its schedule does not show again is explained by the command', async () => {
  let runs = 0;
  const found = exploreWith(
    () => ({}),
    () => ofModule.incr('hidden'),
    { invariants: { 'it is false once': () => runs++ > 0 } },
  );
  await expect(found).rejects.toThrow(IS_NOT_OBSERVED);
});

describe('it is no error', () => {
  const expectProved = async (exploring: Promise<unknown>): Promise<void> => {
    expect(await exploring).toMatchObject({ complete: true });
  };

  test('the same client is returned from connect', () =>
    expectProved(
      exploreWith(
        ({ redis: url }) => {
          const inner = new Redis(url);
          return { inner, next: () => inner.incr('hidden') };
        },
        ({ next }) => next(),
      ),
    ));

  test('a pool that is returned from connect opens further connections in a schedule', () =>
    expectProved(
      exploreWith(
        ({ mysql: uri }) => ({ pool: createPool({ uri, connectionLimit: 5 }) }),
        async ({ pool }) => {
          const all = await Promise.all([1, 2, 3].map(() => pool.getConnection()));
          for (const one of all) {
            await one.query('SELECT 1');
            one.destroy();
          }
        },
        {
          actors: [
            ({ redis }) => redis.get('a'),
            async ({ pool }) => {
              (await pool.getConnection()).destroy();
            },
          ],
        },
      ),
    ));

  test('setUp, prepare and invariants use other clients', () =>
    expectProved(
      exploreWith(
        () => ({}),
        () => undefined,
        {
          setUp: () => poolOfModule.query('SELECT SLEEP(0)'),
          prepare: () => ofModule.set('observed', 5),
          invariants: {
            'both have counted': async () => (await ofModule.get('observed')) === '7',
            'the database answers': async () =>
              JSON.stringify((await poolOfModule.execute('SELECT 7'))[0]) === '[{"7":7}]',
          },
        },
      ),
    ));

  test('a connection outside of the actors is opened again, and is sent pings', async () => {
    const client = hidden(servers.redis);
    await client.ping();
    let opened = 0;
    const pingAndEnd = (): void => {
      opened++;
      void client.ping().then(() => {
        client.disconnect(true);
      });
    };
    client.on('ready', pingAndEnd);
    pingAndEnd();
    await expectProved(
      exploreWith(
        ({ redis: url, mysql: uri }) => {
          const inner = hidden(url);
          const pool = hiddenPool(uri);
          return { health: async () => [await inner.ping(), await pool.query('SELECT 1')] };
        },
        ({ health }) => health(),
      ),
    );
    client.off('ready', pingAndEnd);
    expect(opened).toBeGreaterThan(1);
  });

  test('the process uses a connection of its own beside the exploration, which it opened before', async () => {
    const timer = setInterval(() => void ofModule.get('other'), 1);
    await expectProved(
      exploreWith(
        () => ({}),
        () => undefined,
      ),
    );
    clearInterval(timer);
  });

  test.each(['kill', 'cut', 'lost-session', 'flush', 'host-down', 'error', 'lose-reply'] as const)(
    'a client that is observed meets %s',
    async (fault) => {
      const { schedules } = await exploreWith(
        ({ mysql: uri }) => ({ pool: createPool(uri) }),
        async ({ redis, pool }) => {
          await redis.duplicate().get('observed');
          await pool.query('SELECT SLEEP(0)');
        },
        { faults: { [fault]: 1 }, max: 150 },
      );
      expect(schedules).toBeGreaterThan(1);
    },
  );

  test('the test reads with its own clients after the exploration', async () => {
    await expectProved(
      exploreWith(
        () => ({}),
        () => undefined,
      ),
    );
    await expect(ofModule.get('observed')).resolves.toBe('2');
  });
});
