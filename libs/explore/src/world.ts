import { BalanceAndMovement1700000000001, Balances } from '#lab/balance';
import { SteppedDataSource, SteppedRedis } from '#lab/step';
import { loadScripts } from '#lab/strategy';
import type { FinalState } from '#lab/verdict';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import { readLocks, type LockReading } from './lock-book';
import { Sessions } from './sessions';

/** The balance that every schedule is about. */
export const BALANCE = 'item';

/** The name of a buyer by position: A, B, C. */
export const ACTOR_NAMES = ['A', 'B', 'C'] as const;

export interface WorldOptions {
  /** `redis://host:port`; database `redisDb` is emptied again and again. */
  readonly redis: string;
  readonly redisDb: number;
  /** `mysql://user:password@host:port`; the user may create and drop `schema` and has PROCESS. */
  readonly mysql: string;
  readonly schema: string;
}

/** One actor's own connections. */
export interface Seat {
  readonly redis: SteppedRedis;
  readonly dataSource: SteppedDataSource;
  readonly balances: Balances;
  /** The open sessions by thread id: the client's side of them. */
  readonly sockets: ReadonlyMap<number, Socket>;
}

/** The client's end of a database session. */
interface Socket {
  readonly threadId: number;
  destroy(): void;
}

/** The part of a mysql2 pool that is used here. */
interface Pool {
  on(event: 'acquire', listener: (connection: Socket) => void): void;
}

/** Seconds that a statement waits for a row lock: only a dead-lock across servers ever waits so long. */
const LOCK_WAIT_SECONDS = 1;

/** The servers as one explorer uses them: a schema and a Redis database of its own, connections for each actor. */
export class World {
  readonly seats: readonly Seat[];

  private constructor(
    readonly options: WorldOptions,
    seats: readonly Seat[],
    private readonly admin: Connection,
    readonly redis: SteppedRedis,
    readonly sessions: Sessions,
  ) {
    this.seats = seats;
  }

  static async open(options: WorldOptions): Promise<World> {
    const { mysql, schema } = options;
    const maker = await createConnection({ uri: mysql });
    await maker.query(`DROP DATABASE IF EXISTS \`${schema}\``);
    await maker.query(`CREATE DATABASE \`${schema}\``);
    await maker.end();
    const seats: Seat[] = [];
    for (const name of ACTOR_NAMES) seats.push(await openSeat(options, name));
    await seats[0]?.dataSource.runMigrations();
    const admin = await createConnection({
      uri: `${mysql}/${schema}`,
      multipleStatements: true,
      supportBigNumbers: true,
    });
    const sessions = await Sessions.open(admin);
    const redis = await openRedis(options, 'explorer');
    await redis.script('LOAD', readLocks.text);
    const world = new World(options, seats, admin, redis, sessions);
    await world.addBalance();
    return world;
  }

  async addBalance(): Promise<void> {
    await this.admin.query('INSERT INTO balance (id, amount, initial) VALUES (?, 0, 0)', [BALANCE]);
  }

  /** For requests that name a balance that does not exist. */
  async removeBalance(): Promise<void> {
    await this.admin.query('DELETE FROM balance');
  }

  /** Everything as before the first step: the balance at `stock`, no movement, no key. */
  async reset(stock: number): Promise<void> {
    await Promise.all([
      this.redis.flushdb(),
      this.admin.query(
        `START TRANSACTION; DELETE FROM movement; UPDATE balance SET amount = ?, initial = ?; COMMIT`,
        [stock, stock],
      ),
    ]);
  }

  /** What the database holds, as committed. */
  async look(): Promise<Omit<FinalState, 'locks'>> {
    const [[balances, movements]] = await this.admin.query<RowDataPacket[][]>(
      `SELECT amount FROM balance;
       SELECT request, delta, value_before AS \`before\`, value_after AS \`after\` FROM movement ORDER BY id`,
    );
    return {
      amount: (balances?.[0] as { amount: number } | undefined)?.amount ?? 0,
      movements: (movements ?? []) as unknown as FinalState['movements'],
    };
  }

  /** Ends database sessions as the death of their client does; resolves when the server has rolled them back. */
  async sever(seat: Seat, threads: readonly number[]): Promise<void> {
    for (const thread of threads) seat.sockets.get(thread)?.destroy(); // else the pool would lend a dead connection
    await this.sessions.end(threads);
  }

  /** Every lock key; asked on `redis`, so that the answer is the state right after that connection's last command. */
  readLocks(redis: SteppedRedis = this.redis): Promise<readonly LockReading[]> {
    return redis.evalsha(readLocks.sha, 0) as Promise<readonly LockReading[]>;
  }

  async close(): Promise<void> {
    for (const { redis, dataSource } of this.seats) {
      redis.disconnect();
      await dataSource.destroy();
    }
    await this.admin.query(`DROP DATABASE IF EXISTS \`${this.options.schema}\``);
    await this.admin.end();
    this.redis.disconnect();
  }
}

async function openRedis({ redis: url, redisDb }: WorldOptions, name: string): Promise<SteppedRedis> {
  const redis = new SteppedRedis({ url: `${url}/${redisDb}`, name });
  await redis.connect();
  return redis;
}

async function openSeat(options: WorldOptions, name: string): Promise<Seat> {
  const redis = await openRedis(options, name);
  await loadScripts(redis);
  await redis.script('LOAD', readLocks.text);
  const dataSource = new SteppedDataSource({
    url: options.mysql,
    database: options.schema,
    migrations: [BalanceAndMovement1700000000001],
    poolSize: 4,
    lockWaitSeconds: LOCK_WAIT_SECONDS,
  });
  await dataSource.initialize();
  const sockets = new Map<number, Socket>();
  (dataSource.driver as unknown as { pool: Pool }).pool.on('acquire', (socket) => {
    sockets.set(socket.threadId, socket);
  });
  return { redis, dataSource, balances: new Balances(dataSource), sockets };
}
