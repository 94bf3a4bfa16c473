import { WHOLE_AMOUNT } from '#lab/balance';
import { beginningOf, type Effect, type Guard, type Use } from '#lab/guard';
import { noteObserved, type MysqlConnection, type Servers, type SteppedRedis } from '#lab/step';
import type { Strategy } from '#lab/strategy';
import type { FinalState } from '#lab/verdict';
import { rmSync } from 'node:fs';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import { NotASubject, type OwnSubject } from '#lab/own';
import { BlockedClients } from './blocked-clients';
import { KeyStore } from './key-store';
import { InvariantWaits, OwnSession, ownSchemaOf, PreparationFailed, UnseenTransaction } from './own-clients';
import { PubSubMonitor } from './pub-sub-inbox';
import { DirectoryLockStore, RedisLockStore, RowLockStore, type LockStore } from './lock-stores';
import { OwnRowStore } from './own-row-store';
import { EtcdLockStore, ZooKeeperLockStore } from './queue-lock-stores';
import { Pulse } from './pulse';
import { loadReadLocks } from './read-locks';
import {
  lockFolderOf,
  openRedis,
  openActorConnections,
  namedLockPrefixOf,
  openServers,
  type ActorConnections,
  type WorldOptions,
} from './actor-connections';
import { ServerWatch } from './server-watch';
import { followHttpRequests } from './http-requests';
import { SocketWatch } from './socket-watch';
import { Purge } from './purge';
import { Sessions } from './sessions';
import { SettledTables } from './settled-tables';
import { TablesThatShowMore } from './tables-that-show-more';
import { within } from './within';
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

/** Milliseconds after which the server is asked whether `prepare` or an invariant of a subject waits for a session of the schedule. */
const LOOK_AFTER_MS = 1000;
/** Looks in a row that find an invariant waiting, after which it waits for a session that no step will end. */
const WAITING_LOOKS = 3;

type Rows = Omit<FinalState, 'locks'>;

/** Resolves when the other one is settled, however it ends. */
const settled = (other: Promise<unknown>): Promise<void> =>
  other.then(
    () => undefined,
    () => undefined,
  );

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
  /** As `lockStores`, for locks of libraries. */
  private readonly libraryStores: readonly LockStore[];
  /** The keys of a user's subject. */
  readonly keys: KeyStore;
  readonly blockedClients: BlockedClients;
  readonly purge: Purge;
  readonly tables: SettledTables;
  readonly showingMore: TablesThatShowMore;
  private own: OwnSession | undefined;
  private socketWatch: SocketWatch | undefined;
  private unfollowHttp: (() => void) | undefined;
  /** `prepare` of the subject has run. */
  private isPrepared = false;

  /** Names of lock stores that may not be empty. */
  private readonly used = new Set<string>();
  /** What `isNew` was asked about. */
  private readonly seen = new Set<string>();

  private constructor(
    readonly options: WorldOptions,
    connectionsOfActors: readonly ActorConnections[],
    private readonly admin: Connection,
    readonly redis: SteppedRedis,
    private readonly servers: Servers,
    readonly sessions: Sessions,
    readonly pubSub: PubSubMonitor,
    ownRows: OwnRowStore,
  ) {
    this.connectionsOfActors = connectionsOfActors;
    this.pulse = new Pulse(options.pulse);
    this.keys = new KeyStore(redis);
    this.blockedClients = new BlockedClients(redis);
    this.tables = new SettledTables(admin);
    this.showingMore = new TablesThatShowMore(admin);
    this.purge = new Purge(admin, [options.schema, ownSchemaOf(options)]);
    const own = new RedisLockStore('', redis, ({ redis: ofActor }) => ofActor, connectionsOfActors);
    this.lockStores = [
      own,
      new RowLockStore(admin),
      new DirectoryLockStore(lockFolderOf(options)),
      ...servers.redises.map((other, i) =>
        redisStoreOf(other, (connections) => connections.servers.redises[i] ?? other, connectionsOfActors),
      ),
      ...(servers.components.includes('zookeeper') ? [new ZooKeeperLockStore(servers.zookeeper)] : []),
      ...(servers.components.includes('etcd') ? [new EtcdLockStore(servers.etcd)] : []),
    ];
    this.libraryStores = [
      ...this.lockStores.map((store) => (store instanceof RedisLockStore ? store.ofLibraries() : store)),
      ownRows,
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
    const usesLab = options.onlySubjects !== true;
    if (usesLab) await connectionsOfActors[0]?.dataSource.runMigrations();
    const admin = await createConnection({
      uri: `${mysql}/${schema}`,
      multipleStatements: true,
      supportBigNumbers: true,
    });
    noteObserved((admin as unknown as { readonly connection: MysqlConnection }).connection.stream);
    const sessions = await Sessions.open(admin, namedLockPrefixOf(options));
    const redis = await openRedis(options, 'explorer');
    const servers = await openServers(options, 'explorer', loadReadLocks);
    const pubSub = await PubSubMonitor.open(options);
    const ownRows = await OwnRowStore.open(admin);
    const world = new World(options, connectionsOfActors, admin, redis, servers, sessions, pubSub, ownRows);
    if (usesLab) await world.addBalance();
    const mayHaveLocks = usesLab ? world.lockStores : [world.keys]; // of an earlier world
    for (const store of mayHaveLocks) await store.clear();
    return world;
  }

  /** Whether this is asked for the first time about it: the name of a strategy, or a text that begins with one. */
  isNew(what: string): boolean {
    const isNew = !this.seen.has(what);
    this.seen.add(what);
    return isNew;
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
  lockStoresOf({ needs = [], prefixesKeys }: Pick<Explored, 'needs' | 'prefixesKeys'>): readonly LockStore[] {
    const stores = prefixesKeys === true ? this.libraryStores : this.lockStores;
    return stores.filter(({ component }) => component === undefined || needs.includes(component));
  }

  /** Resets the servers to the state before the first step. */
  async begin(strategy: Strategy, { stock, carts }: Pick<Setup, 'stock' | 'carts'>): Promise<void> {
    this.endZooKeeperSessions(strategy);
    await Promise.all([this.endTransactions(), this.endUsedSessions()]);
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

  /** Resets the servers to the state before the first step of a user's subject. Its clients are opened by the first call. */
  async beginSubject(subject: OwnSubject): Promise<OwnSession> {
    const own = await this.openSubject(subject);
    await this.clear([this.keys]);
    await this.prepareOwn(own);
    if (!this.isPrepared) {
      await this.showingMore.read(ownSchemaOf(this.options));
      await this.refuseOpenTransaction(own);
    }
    this.isPrepared = true;
    this.markUsed(this.keys); // prepare may have written
    return own;
  }

  /** @throws PreparationFailed when `prepare` leaves a transaction open: each actor would wait for its locks. */
  private async refuseOpenTransaction(own: OwnSession): Promise<void> {
    if ((await this.sessions.inTransaction([...own.threadsOfObserver])).length > 0)
      throw new PreparationFailed(
        'prepare leaves a transaction open, for whose locks the actors would wait: end it with COMMIT',
      );
  }

  /** @throws UnseenTransaction when `prepare` waits for a session that the last schedule has left. */
  private async prepareOwn(own: OwnSession): Promise<void> {
    const prepared = own.prepare();
    if ((await within(settled(prepared), LOOK_AFTER_MS)) === 'no')
      for (const { sockets } of this.connectionsOfActors)
        if ((await this.sessions.inTransaction([...sockets.keys()])).length > 0)
          throw new UnseenTransaction();
    await prepared;
  }

  /** The result of the invariants. @throws InvariantWaits when one waits for a session that the schedule has left. */
  async untilJudged<T>(judged: Promise<T>): Promise<T> {
    const ended = settled(judged);
    const ofActors = this.connectionsOfActors.flatMap(({ sockets }) => [...sockets.keys()]);
    for (let looks = 0; (await within(ended, LOOK_AFTER_MS)) === 'no';) {
      const isWaiting = await this.sessions.isWaitingIn(ownSchemaOf(this.options), ofActors);
      looks = isWaiting ? looks + 1 : 0;
      if (looks === WAITING_LOOKS) throw new InvariantWaits();
    }
    return judged;
  }

  /** Opens the clients of a user's subject and creates its tables, unless they are those of the last call. */
  async openSubject(subject: OwnSubject): Promise<OwnSession> {
    if (this.own?.subject.definition === subject.definition) return this.own;
    await this.own?.close();
    this.own = undefined;
    await this.recreateOwnSchema();
    this.purge.forgetTables();
    this.tables.forget();
    this.showingMore.forget();
    this.socketWatch ??= SocketWatch.open(this.options); // before its clients open their sockets
    this.unfollowHttp ??= followHttpRequests();
    this.own = await OwnSession.open(subject, this.connectionsOfActors, this.options);
    await this.refuseOtherEngines();
    this.isPrepared = false;
    this.markUsed(this.keys); // setUp may have written
    return this.own;
  }

  /** @throws NotASubject when a table of the subject has no transactions. */
  private async refuseOtherEngines(): Promise<void> {
    const [[other]] = await this.admin.query<RowDataPacket[]>(
      `SELECT TABLE_NAME AS name, ENGINE AS engine FROM information_schema.TABLES
         WHERE TABLE_SCHEMA = ? AND TABLE_TYPE = 'BASE TABLE' AND ENGINE <> 'InnoDB'`,
      [ownSchemaOf(this.options)],
    );
    if (other !== undefined)
      throw new NotASubject(
        `the table ${String(other['name'])} has the engine ${String(other['engine'])}; only InnoDB can be explored: other engines have no transactions`,
      );
  }

  /** A plain SELECT of the subject waits for locks, or sees what is not committed. */
  get readsStrictly(): boolean {
    return this.own?.readsStrictly === true;
  }

  private async recreateOwnSchema(): Promise<void> {
    const schema = ownSchemaOf(this.options);
    await this.admin.query(`DROP DATABASE IF EXISTS \`${schema}\`; CREATE DATABASE \`${schema}\``);
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

  /** The last schedule may have left a WATCH or MULTI open. */
  private async endTransactions(): Promise<void> {
    const redises = this.connectionsOfActors.flatMap(({ redis, servers }) => [redis, ...servers.redises]);
    await Promise.all(redises.map((redis) => redis.transaction.end(redis)));
  }

  /** Code of a user that stops in the middle may never release a connection: later schedules would wait for a free one. */
  private async endUsedSessions(): Promise<void> {
    for (const connections of this.connectionsOfActors)
      if (connections.used.size > 0)
        await this.crashSessions(
          connections,
          [...connections.used].map(({ threadId }) => threadId),
        );
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
    this.used.add(store.name);
  }

  private async clear(lockStores: readonly LockStore[]): Promise<void> {
    const used = lockStores.filter(({ name }) => this.used.has(name));
    await Promise.all(used.map((store) => store.clear()));
    for (const { name } of used) this.used.delete(name);
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

  /**
   * Watches what reaches the servers over connections that are not those of a world, and over those of its actors unless the
   * strategy's own preparation uses them. No other request may run.
   */
  watch({ prepare }: Strategy): Promise<ServerWatch> {
    const actors = prepare === undefined ? this.connectionsOfActors.map(({ redis }) => redis) : [];
    return ServerWatch.open(this.redis, this.admin, actors);
  }

  /** From now on, commands of the subject's code over clients that are not observed are noted. */
  beginSocketWatch(): void {
    this.socketWatch?.begin();
  }

  /** The first such command since `beginSocketWatch`; undefined: there is none. */
  endSocketWatch(): string | undefined {
    return this.socketWatch?.end();
  }

  /** Keys of this world that never expire. */
  async keysWithoutExpiry(): Promise<readonly string[]> {
    const keys = await this.redis.keys('*');
    const expiries = await Promise.all(keys.map((key) => this.redis.pttl(key)));
    return keys.filter((_, i) => expiries[i] === -1);
  }

  /** Median round trip to each server in milliseconds: a lower bound for the time of a schedule. */
  async roundTrips(): Promise<{ redis: number; sql: number }> {
    const redis = await medianOf(() => this.redis.ping());
    const sql = await medianOf(() => this.admin.query('SELECT amount FROM balance'));
    return { redis, sql };
  }

  /** Also in the middle of a schedule: a statement that waits for a lock would keep its pool open. */
  async close(): Promise<void> {
    this.socketWatch?.close();
    this.socketWatch = undefined;
    this.unfollowHttp?.();
    this.unfollowHttp = undefined;
    for (const { sockets } of this.connectionsOfActors)
      for (const socket of sockets.values()) socket.destroy();
    for (const { redis, servers, dataSource } of this.connectionsOfActors) {
      redis.disconnect();
      servers.disconnect();
      if (dataSource.isInitialized) await dataSource.destroy();
    }
    await this.own?.close();
    for (const schema of [this.options.schema, ownSchemaOf(this.options)])
      await this.admin.query(`DROP DATABASE IF EXISTS \`${schema}\``);
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
  all: readonly ActorConnections[],
): RedisLockStore =>
  new RedisLockStore(admin.server ?? '', admin, of, all, admin.server === 'primary' ? 'replica' : 'redlock');

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
