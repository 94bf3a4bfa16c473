import { WHOLE_AMOUNT } from '#lab/balance';
import { beginningOf, type Effect, type Guard, type Use } from '#lab/guard';
import type { Servers, SteppedRedis } from '#lab/step';
import type { Strategy } from '#lab/strategy';
import type { FinalState } from '#lab/verdict';
import { rmSync } from 'node:fs';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import { PubSubMonitor } from './pub-sub-inbox';
import { DirectoryLockStore, RedisLockStore, RowLockStore, type LockStore } from './lock-stores';
import { EtcdLockStore, ZooKeeperLockStore } from './queue-lock-stores';
import { Pulse } from './pulse';
import { loadReadLocks } from './read-locks';
import {
  lockFolderOf,
  openRedis,
  openActorConnections,
  openServers,
  type ActorConnections,
  type WorldOptions,
} from './actor-connections';
import { Sessions } from './sessions';
import type { Explored } from './explored';
import type { Setup } from './setup';

/** The balance of actors without a cart. */
export const BALANCE = 'item';

/** Balances that a cart may contain. */
export const BALANCES: readonly string[] = [BALANCE, 'other'];

/** Actor names by position. */
export const ACTOR_NAMES = ['A', 'B', 'C'] as const;

const RESET = `START TRANSACTION; DELETE FROM movement; DELETE FROM decision; DELETE FROM balance_segment;
  UPDATE balance SET amount = ?, initial = ?, segments = 0, version = 0, fence = 0, holder = NULL; COMMIT`;
const LOOK = `SELECT id, ${WHOLE_AMOUNT} AS amount FROM balance;
  SELECT balance, segment, request, delta, value_before AS \`before\`, value_after AS \`after\` FROM movement ORDER BY id`;

type Rows = Omit<FinalState, 'locks'>;

interface BalanceRow extends RowDataPacket {
  readonly id: string;
  readonly amount: number;
}

const finalState = ([balances, movements]: RowDataPacket[][]): Rows => {
  const amounts = Object.fromEntries(
    ((balances ?? []) as BalanceRow[]).map(({ id, amount }) => [id, amount]),
  );
  return {
    amount: amounts[BALANCE] ?? 0,
    amounts,
    movements: (movements ?? []) as unknown as FinalState['movements'],
  };
};

/** The servers as one explorer uses them: its own schema and Redis database, and connections for each actor. */
export class World {
  readonly connectionsOfActors: readonly ActorConnections[];
  readonly pulse: Pulse;

  /** Stock of the last reset, while nothing has happened since. */
  private cleanAt: number | undefined;

  private readonly lockStores: readonly LockStore[];
  /** Lock stores that may not be empty. */
  private readonly used = new Set<LockStore>();

  private constructor(
    readonly options: WorldOptions,
    connectionsOfActors: readonly ActorConnections[],
    private readonly admin: Connection,
    readonly redis: SteppedRedis,
    private readonly servers: Servers,
    readonly sessions: Sessions,
    readonly pubSub: PubSubMonitor,
  ) {
    this.connectionsOfActors = connectionsOfActors;
    this.pulse = new Pulse(options.pulse);
    this.lockStores = [
      new RedisLockStore('', redis, (connections) => connections.redis),
      new RowLockStore(admin),
      new DirectoryLockStore(lockFolderOf(options)),
      ...servers.redises.map((own, i) =>
        redisStoreOf(own, (connections) => connections.servers.redises[i] ?? own),
      ),
      ...(servers.components.includes('zookeeper') ? [new ZooKeeperLockStore(servers.zookeeper)] : []),
      ...(servers.components.includes('etcd') ? [new EtcdLockStore(servers.etcd)] : []),
    ];
  }

  static async open(options: WorldOptions): Promise<World> {
    const { mysql, schema } = options;
    const creator = await createConnection({ uri: mysql });
    await creator.query(`DROP DATABASE IF EXISTS \`${schema}\``);
    await creator.query(`CREATE DATABASE \`${schema}\``);
    await creator.end();
    const connectionsOfActors: ActorConnections[] = [];
    for (const name of ACTOR_NAMES) connectionsOfActors.push(await openActorConnections(options, name));
    await connectionsOfActors[0]?.dataSource.runMigrations();
    const admin = await createConnection({
      uri: `${mysql}/${schema}`,
      multipleStatements: true,
      supportBigNumbers: true,
    });
    const sessions = await Sessions.open(admin);
    const redis = await openRedis(options, 'explorer');
    const servers = await openServers(options, 'explorer', loadReadLocks);
    const pubSub = await PubSubMonitor.open(options);
    const world = new World(options, connectionsOfActors, admin, redis, servers, sessions, pubSub);
    await world.addBalance();
    for (const store of world.lockStores) await store.clear(); // an earlier world may have left locks
    return world;
  }

  async addBalance(): Promise<void> {
    this.cleanAt = undefined;
    for (const balance of BALANCES)
      await this.admin.query('INSERT INTO balance (id, amount, initial) VALUES (?, 0, 0)', [balance]);
  }

  /** For requests with an unknown balance. */
  async removeBalance(): Promise<void> {
    await this.admin.query('DELETE FROM balance_segment; DELETE FROM balance');
  }

  /** The lock stores that a strategy or guard may use. */
  lockStoresOf({ needs = [] }: Pick<Explored, 'needs'>): readonly LockStore[] {
    return this.lockStores.filter(({ component }) => component === undefined || needs.includes(component));
  }

  /** Resets the servers to the state before the first step. */
  async begin(strategy: Strategy, { stock, carts }: Pick<Setup, 'stock' | 'carts'>): Promise<void> {
    this.endZooKeeperSessions(strategy);
    const isClean = this.cleanAt === stock;
    this.cleanAt = undefined;
    await Promise.all([
      ...(isClean ? [] : [this.admin.query(RESET, [stock, stock])]),
      this.clear(this.lockStoresOf(strategy)),
    ]);
    await this.prepare(strategy, new Set(carts?.flat() ?? [BALANCE]));
  }

  /** Resets the tables, locks and keys of a use to the state before the first action with one of these keys. */
  async beginActions(guard: Guard, use: Use, keys: readonly string[]): Promise<void> {
    const [connections] = this.connectionsOfActors;
    this.endZooKeeperSessions(guard);
    const stores = this.lockStoresOf(guard);
    await Promise.all([
      this.admin.query(['START TRANSACTION', ...beginningOf(use), 'COMMIT'].join('; ')),
      this.clear(stores),
      ...(guard.needs?.includes('gateway') === true ? [this.servers.gateway.clear()] : []),
    ]);
    if (use.prepare === undefined || connections === undefined) return;
    for (const store of stores) this.markUsed(store);
    await use.prepare(keys, { redis: connections.redis, time: 0 });
  }

  /** The committed effects of a use, in their order. */
  effects(use: Use): Promise<readonly Effect[]> {
    return use.effects({
      redis: this.redis,
      query: async (sql) => (await this.admin.query<RowDataPacket[]>(sql))[0],
      deliveries: () => this.servers.gateway.deliveries(),
    });
  }

  /** The last schedule may have ended a session without notifying its client. */
  private endZooKeeperSessions({ needs = [] }: Pick<Explored, 'needs'>): void {
    if (needs.includes('zookeeper'))
      for (const { servers } of this.connectionsOfActors) servers.zookeeper.endSession();
  }

  /** Runs the strategy's own preparation, for example preloading stock into Redis. */
  private async prepare(strategy: Strategy, balances: ReadonlySet<string>): Promise<void> {
    const [connections] = this.connectionsOfActors;
    if (strategy.prepare === undefined || connections === undefined) return;
    for (const store of this.lockStoresOf(strategy)) this.markUsed(store);
    for (const balance of balances) await strategy.prepare(balance, connections);
  }

  /** The store may hold locks, and is cleared before the next schedule. */
  markUsed(store: LockStore): void {
    this.used.add(store);
  }

  private async clear(lockStores: readonly LockStore[]): Promise<void> {
    const used = lockStores.filter((store) => this.used.has(store));
    await Promise.all(used.map((store) => store.clear()));
    for (const store of used) this.used.delete(store);
  }

  /** The committed state of the database. */
  async look(): Promise<Rows> {
    const [found] = await this.admin.query<RowDataPacket[][]>(LOOK);
    return finalState(found);
  }

  /** As `look`, and resets in the same round trip. No step may be in flight. */
  async lookAndReset({ stock, strategy }: Setup): Promise<Rows> {
    const [[found]] = await Promise.all([
      this.admin.query<RowDataPacket[][]>(`${LOOK}; ${RESET}`, [stock, stock]),
      this.clear(this.lockStoresOf(strategy)),
    ]);
    this.cleanAt = stock;
    return finalState(found);
  }

  /** Ends database sessions as a client crash does; resolves when the server has rolled them back. */
  async crashSessions(connections: ActorConnections, threads: readonly number[]): Promise<void> {
    for (const thread of threads) connections.sockets.get(thread)?.destroy(); // otherwise the pool would hand out a dead connection
    await this.sessions.end(threads);
    for (const thread of threads) connections.abandoned.delete(thread);
  }

  /** Ends database sessions on the server; resolves when the client has noticed and the server has rolled them back. */
  async endSessions(connections: ActorConnections, threads: readonly number[]): Promise<void> {
    const noticed = threads.flatMap((thread) => {
      const stream = connections.sockets.get(thread)?.stream;
      return stream === undefined || stream.closed
        ? []
        : [
            new Promise<void>((resolve) => {
              stream.once('close', () => {
                resolve();
              });
            }),
          ];
    });
    await this.sessions.end(threads);
    await Promise.all(noticed);
  }

  /** Median round trip to each server in milliseconds: a lower bound for the time of a schedule. */
  async roundTrips(): Promise<{ redis: number; sql: number }> {
    const redis = await medianOf(() => this.redis.ping());
    const sql = await medianOf(() => this.admin.query('SELECT amount FROM balance'));
    return { redis, sql };
  }

  async close(): Promise<void> {
    for (const { redis, servers, dataSource } of this.connectionsOfActors) {
      redis.disconnect();
      servers.disconnect();
      await dataSource.destroy();
    }
    await this.admin.query(`DROP DATABASE IF EXISTS \`${this.options.schema}\``);
    await this.admin.end();
    this.redis.disconnect();
    this.pubSub.close();
    rmSync(lockFolderOf(this.options), { recursive: true, force: true });
    this.servers.disconnect();
  }
}

const redisStoreOf = (
  admin: SteppedRedis,
  of: (connections: ActorConnections) => SteppedRedis,
): RedisLockStore =>
  new RedisLockStore(admin.server ?? '', admin, of, admin.server === 'primary' ? 'replica' : 'redlock');

const ROUND_TRIPS = 301;

async function medianOf(call: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < ROUND_TRIPS; i++) {
    const begun = performance.now();
    await call();
    times.push(performance.now() - begun);
  }
  return times.sort((a, b) => a - b)[(ROUND_TRIPS - 1) / 2] ?? 0;
}
