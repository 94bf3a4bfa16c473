import { explore, type Options } from '#lab/kit';
import { Cluster, Redis } from 'ioredis';
import * as mysql from 'mysql2';
import { createPool, createPoolCluster, type Pool } from 'mysql2/promise';
import { DataSource, EntitySchema } from 'typeorm';
import { kitServers } from './support';

interface Addresses {
  readonly redis: string;
  readonly mysql: string;
}

type Act = Options<{ readonly redis: Redis }>['actors'][number];

const reads: Act = ({ redis }) => redis.get('a');

/** Explores what `connect` returns beside an ioredis client, which the actors use. */
const exploreWith = (more: (redis: Redis, addresses: Addresses) => object): Promise<unknown> =>
  explore({
    servers: kitServers(),
    connect: (addresses) => {
      const redis = new Redis(addresses.redis);
      return { redis, ...more(redis, addresses) };
    },
    actors: [reads, reads],
    invariants: { 'it holds': () => true },
  });

const method = (): undefined => undefined;

/** Objects with the methods by which a client is recognized: the packages themselves are not installed here. */
const OTHERS = {
  'a pool of the package mysql': { getConnection: method, end: method, query: method, config: {} },
  'a pool of the package mariadb': { getConnection: method, end: method, query: method, batch: method },
  'a connection of the package mariadb': { beginTransaction: method, changeUser: method, query: method },
  'a client of the package redis': { sendCommand: method, isOpen: true },
  Knex: Object.assign(() => undefined, { raw: method, client: { acquireConnection: method } }),
  Sequelize: { connectionManager: {}, getQueryInterface: method, query: method },
  Prisma: { $connect: method, $transaction: method },
};

describe.each([
  ...Object.entries(OTHERS).map(([what, client]) => [what, () => client] as const),
  ['a pool cluster of mysql2', () => mysql.createPoolCluster()] as const,
  ['a pool cluster of mysql2/promise', () => createPoolCluster()] as const,
])('%s', (_, make) => {
  test('is refused', async () => {
    const refused = exploreWith(() => ({ db: make() }));
    await expect(refused).rejects.toMatchObject({ code: 'KIT.CLIENT' });
    await expect(refused).rejects.toThrow(/^the client "db" cannot be observed: .*\. Use [^\n]+$/);
  });

  test('inside of a service is refused with its path', async () => {
    const refused = exploreWith(() => ({ shop: { orders: { db: make() } } }));
    await expect(refused).rejects.toThrow(/^the client "shop\.orders\.db" cannot be observed/);
  });
});

test.each([
  ['mysql2', (uri: string) => mysql.createConnection(uri)],
  ['mysql2/promise', (uri: string) => mysql.createConnection(uri).promise()],
])('a single connection of %s is refused', async (_, connectOne) => {
  await expect(exploreWith((_redis, { mysql: uri }) => ({ one: connectOne(uri) }))).rejects.toThrow(
    'the client "one" cannot be observed: a single connection ends with its process',
  );
});

test('a Redis Cluster is refused, and closed', async () => {
  let cluster: Cluster | undefined;
  const refused = exploreWith((_redis, { redis }) => {
    const { hostname: host, port } = new URL(redis);
    cluster = new Cluster([{ host, port: Number(port) }]);
    cluster.on('error', () => undefined); // its server is no cluster
    return { cluster };
  });
  await expect(refused).rejects.toThrow('the client "cluster" cannot be observed: it is a cluster');
  expect(cluster?.status).toMatch(/^(disconnecting|close|end)$/);
});

describe('a client that is only inside of another value is refused with its path, and closed', () => {
  test('ioredis', async () => {
    let inner: Redis | undefined;
    const refused = exploreWith((_, { redis }) => ({ shop: { redis: (inner = new Redis(redis)) } }));
    await expect(refused).rejects.toThrow(
      'the client "shop.redis" cannot be observed: return it from connect itself, at the top level',
    );
    expect(inner?.status).toBe('end');
  });

  test('a copy of an ioredis client that is returned', async () => {
    await expect(exploreWith((redis) => ({ shop: { copy: redis.duplicate() } }))).rejects.toThrow(
      /shop\.copy/,
    );
  });

  test('a pool of mysql2', async () => {
    await expect(exploreWith((_, { mysql: uri }) => ({ shop: { pool: createPool(uri) } }))).rejects.toThrow(
      /shop\.pool/,
    );
  });

  test('a data source of TypeORM, of a repository', async () => {
    const Row = new EntitySchema({ name: 'Row', columns: { id: { type: Number, primary: true } } });
    const refused = exploreWith((_, { mysql: url }) => ({
      rows: new DataSource({ type: 'mysql', url, entities: [Row] }).manager,
    }));
    await expect(refused).rejects.toThrow(/"rows\.\w+" cannot be observed/);
  });
});

test('values that are no clients, and what is built on the clients, are not refused', async () => {
  const shown = await exploreWith((redis, { mysql: uri }) => {
    const core = mysql.createPool(uri);
    const db = new DataSource({ type: 'mysql', url: uri });
    return {
      core,
      db,
      manager: db.manager,
      shop: { redis, promises: core.promise(), core },
      wrapped: { redis: new Proxy(redis, {}) }, // as BullMQ does
      now: () => 0,
      name: 'shop',
      nothing: null,
      bytes: Buffer.alloc(1_000_000),
      computed: {
        get connection(): never {
          throw new Error('a getter is not called');
        },
      },
    };
  });
  expect(shown).toMatchObject({ complete: true });
});

describe('a client in a private field, which cannot be found', () => {
  class Shop {
    readonly #redis: Redis;
    constructor(address: string) {
      this.#redis = new Redis(address);
    }
    read(): Promise<string | null> {
      return this.#redis.get('a');
    }
    close(): void {
      this.#redis.disconnect();
    }
  }
  const shops: Shop[] = [];
  afterAll(() => {
    for (const shop of shops) shop.close();
  });
  const exploreShops = (
    ...actors: Options<{ readonly redis: Redis; readonly shop: Shop }>['actors']
  ): Promise<unknown> =>
    explore({
      servers: kitServers(),
      connect: ({ redis }) => {
        const shop = new Shop(redis);
        shops.push(shop);
        return { redis: new Redis(redis), shop };
      },
      actors,
      invariants: { 'it is false': () => false },
    });

  test('is refused when no command of any actor is observed, also when an invariant is false', async () => {
    const refused = exploreShops(
      ({ shop }) => shop.read(),
      ({ shop }) => shop.read(),
    );
    await expect(refused).rejects.toMatchObject({ name: 'CannotExplore', code: 'KIT.OPTIONS' });
    await expect(refused).rejects.toThrow(/no command of the actors was observed/);
  });
});

test('an actor without a command is explored beside one that has some', async () => {
  const shown = await explore({
    servers: kitServers(),
    connect: ({ mysql: uri }) => ({ pool: createPool(uri) }),
    actors: [({ pool }: { pool: Pool }) => pool.query('SELECT 1'), () => 'nothing'],
    invariants: { 'it holds': () => true },
  });
  expect(shown).toMatchObject({ complete: true });
});

test('a violation that a second run of its schedule does not show ends the search with an error', async () => {
  let runs = 0;
  const refused = explore({
    servers: kitServers(),
    connect: ({ redis }) => ({ redis: new Redis(redis) }),
    actors: [reads, reads],
    invariants: { 'it is false once': () => runs++ > 0 },
  });
  await expect(refused).rejects.toMatchObject({ code: 'EXPLORE.NO_LONGER' });
  await expect(refused).rejects.toThrow(/The code does something that the explorer does not see/);
});
