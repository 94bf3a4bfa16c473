import type { SteppedRedis } from '#lab/step';
import type { FinalState } from '#lab/verdict';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import { readLocks, type LockReading } from './lock-book';
import { openRedis, openSeat, type Seat, type WorldOptions } from './seat';
import { Sessions } from './sessions';

/** The balance that every schedule is about. */
export const BALANCE = 'item';

/** The name of a buyer by position: A, B, C. */
export const ACTOR_NAMES = ['A', 'B', 'C'] as const;

const RESET = `START TRANSACTION; DELETE FROM movement; DELETE FROM balance_lock;
  UPDATE balance SET amount = ?, initial = ?, version = 0, fence = 0, holder = NULL; COMMIT`;
const LOOK = `SELECT amount FROM balance;
  SELECT request, delta, value_before AS \`before\`, value_after AS \`after\` FROM movement ORDER BY id;
  SELECT name AS \`key\`, owner FROM balance_lock`;

const finalState = ([balances, movements, locks]: RowDataPacket[][]): FinalState => ({
  amount: (balances?.[0] as { amount: number } | undefined)?.amount ?? 0,
  movements: (movements ?? []) as unknown as FinalState['movements'],
  locks: (locks ?? []) as unknown as FinalState['locks'], // those that are rows
});

/** The servers as one explorer uses them: a schema and a Redis database of its own, connections for each actor. */
export class World {
  readonly seats: readonly Seat[];

  /** The stock to which everything was set back, when nothing has happened since. */
  private cleanAt: number | undefined;

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
    const world = new World(options, seats, admin, redis, sessions);
    await world.addBalance();
    return world;
  }

  async addBalance(): Promise<void> {
    this.cleanAt = undefined;
    await this.admin.query('INSERT INTO balance (id, amount, initial) VALUES (?, 0, 0)', [BALANCE]);
  }

  /** For requests that name a balance that does not exist. */
  async removeBalance(): Promise<void> {
    await this.admin.query('DELETE FROM balance');
  }

  /** Everything as before the first step: the balance at `stock`, no movement, no key. */
  private async reset(stock: number): Promise<void> {
    if (this.cleanAt === stock) return;
    await Promise.all([this.redis.flushdb(), this.admin.query(RESET, [stock, stock])]);
  }

  /** A schedule begins: nothing is clean any more. */
  begin(stock: number): Promise<void> {
    const reset = this.reset(stock);
    this.cleanAt = undefined;
    return reset;
  }

  /** What the database holds, as committed. */
  async look(): Promise<FinalState> {
    const [found] = await this.admin.query<RowDataPacket[][]>(LOOK);
    return finalState(found);
  }

  /** As `look`, and resets in the same round trip: nobody may be on the way any more. */
  async lookAndReset(stock: number): Promise<FinalState> {
    const [[found]] = await Promise.all([
      this.admin.query<RowDataPacket[][]>(`${LOOK}; ${RESET}`, [stock, stock]),
      this.redis.flushdb(),
    ]);
    this.cleanAt = stock;
    return finalState(found);
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

  /** Milliseconds of one round trip to each server, median: what no explorer can be faster than. */
  async roundTrips(): Promise<{ redis: number; sql: number }> {
    const redis = await medianOf(() => this.redis.ping());
    const sql = await medianOf(() => this.admin.query('SELECT amount FROM balance'));
    return { redis, sql };
  }

  async close(): Promise<void> {
    for (const { redis, servers, dataSource } of this.seats) {
      redis.disconnect();
      servers.disconnect();
      await dataSource.destroy();
    }
    await this.admin.query(`DROP DATABASE IF EXISTS \`${this.options.schema}\``);
    await this.admin.end();
    this.redis.disconnect();
  }
}

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
