import {
  DataSource,
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  type DataSourceOptions,
  type QueryRunner,
  type ReplicationMode,
} from 'typeorm';
import { setTimeout as delay } from 'node:timers/promises';
import { DependencyDown, dropped, OutcomeUnknown, step, type LockCommand, type StepInfo } from '../seam';
import { Liveness } from './liveness';
import { namedLocksAsSent } from './named-locks';
import { noteObserved } from './observed-sockets';

export interface SteppedDataSourceOptions {
  /** `mysql://user:password@host:port`. */
  readonly url: string;
  readonly database: string;
  readonly entities?: DataSourceOptions['entities'];
  readonly migrations?: DataSourceOptions['migrations'];
  /** Maximum number of connections; a request that needs one more waits. */
  readonly poolSize?: number;
  readonly isolation?: 'READ COMMITTED' | 'REPEATABLE READ';
  /** Seconds that a statement waits for a row lock before it fails with error 1205. */
  readonly lockWaitSeconds?: number;
  /** Milliseconds within which the server must greet the probe of a late reply; after that it counts as down. */
  readonly answerMs?: number;
  /** Put before the names of GET_LOCK locks, which are global to the server; absent: nothing. */
  readonly namedLockPrefix?: string;
  /** Connections that `initialize` opens, so that the first requests wait for none. */
  readonly warm?: number;
  /** For how long `initialize` repeats a connection attempt that fails, milliseconds; 0: one attempt. */
  readonly connectWithinMs?: number;
}

/**
 * How a process connects. A replica opens the connections of an ordinary load before it reports ready; 20 replicas of them stay
 * far below `max_connections` (infra/mysql/lab.cnf).
 */
export const CONNECTING = {
  replica: { warm: 16, connectWithinMs: 20_000 },
  migration: { connectWithinMs: 30_000 },
} as const satisfies Record<string, Pick<SteppedDataSourceOptions, 'warm' | 'connectWithinMs'>>;

const ANSWER_MS = 2000;
/**
 * Limit of one connection attempt. It is not what detects a server that hangs (`Liveness` does, sooner): on a busy machine a
 * greeting can take seconds, and a request that has taken stock must not fail because of that.
 */
const CONNECT_MS = 15_000;
/** Pause between two attempts to connect, in `initialize`. */
const CONNECT_AGAIN_AFTER_MS = 200;

interface NewConnection {
  readonly stream: { once(event: 'close', listener: () => void): unknown };
}

/** The part of a mysql2 pool that is used here. */
interface Pool {
  on(event: 'connection', listener: (connection: NewConnection & { query(sql: string): void }) => void): void;
  once(event: 'acquire', listener: (connection: NewConnection) => void): void;
  query(sql: string, done: (error: Error | null, rows: unknown[]) => void): void;
}

interface Connection {
  readonly threadId?: number;
  query(
    sql: string,
    parameters: unknown[] | undefined,
    done: (error: Error | null, reply: unknown) => void,
  ): void;
  destroy(): void;
}

/** A TypeORM data source of MySQL or MariaDB with every statement passing the seam. */
export class SteppedDataSource extends DataSource {
  private readonly liveness: Liveness;

  constructor(private readonly stepped: SteppedDataSourceOptions) {
    super({
      type: 'mysql',
      url: stepped.url,
      database: stepped.database,
      entities: stepped.entities ?? [],
      migrations: stepped.migrations ?? [],
      poolSize: stepped.poolSize ?? 40,
      connectTimeout: Math.max(stepped.answerMs ?? 0, CONNECT_MS),
      charset: 'utf8mb4',
      synchronize: false,
      logger: 'debug', // prints nothing without DEBUG=typeorm:*; a migration that fails is thrown as well
      supportBigNumbers: true,
      bigNumberStrings: false, // TypeORM's default returns a BIGINT as text, and '5' + -1 is '5-1'
    });
    this.liveness = new Liveness(stepped.url, stepped.answerMs ?? ANSWER_MS);
  }

  override async initialize(): Promise<this> {
    await this.connect();
    await this.fixSessions();
    await this.warmUp();
    return this;
  }

  override async destroy(): Promise<void> {
    this.liveness.close();
    await super.destroy();
  }

  /** Resolves when the database answers. */
  ping(): Promise<unknown> {
    return this.query('SELECT 1');
  }

  override createQueryRunner(mode?: ReplicationMode): QueryRunner {
    const runner = super.createQueryRunner(mode);
    const queryOfTypeOrm = runner.query.bind(runner) as (
      sql: string,
      parameters: unknown[] | undefined,
      structured: true,
    ) => Promise<unknown>;
    let connected: Connection | undefined;
    const connect = async (): Promise<Connection> => (connected ??= await this.connectionOf(runner));
    runner.query = ((sql: string, parameters?: unknown[], structured?: boolean) => {
      let sent = false;
      const session = connected?.threadId;
      const reply = step(
        () => ({ ...describe(sql, parameters), ...(session !== undefined && { connection: session }) }),
        async (current) => {
          try {
            if (runner.isReleased) throw new QueryRunnerAlreadyReleasedError();
            const connection = connected ?? (await connect());
            if (current !== undefined && connection.threadId !== undefined)
              current.connection = connection.threadId;
            sent = true;
            const abandon = (): void => {
              connection.destroy(); // it must not be reused: the reply could still arrive
            };
            const text = this.sent(sql);
            const issued =
              structured === true
                ? queryOfTypeOrm(text, parameters, structured)
                : query(connection, text, parameters);
            return await this.liveness.watch(issued, abandon, connection);
          } catch (error) {
            throw translate(error);
          }
        },
      );
      return sql === 'COMMIT' ? reply.catch((error: unknown) => commitLost(error, sent)) : reply;
    }) as QueryRunner['query'];
    return runner;
  }

  /** Connects. A server that is not reachable yet, or is too busy to greet, is tried again for `connectWithinMs`. */
  private async connect(): Promise<void> {
    const until = performance.now() + (this.stepped.connectWithinMs ?? 0);
    for (;;) {
      try {
        await super.initialize();
        return;
      } catch (error) {
        if (performance.now() >= until || !(translate(error) instanceof DependencyDown)) throw error;
        await delay(CONNECT_AGAIN_AFTER_MS);
      }
    }
  }

  /** Opens `warm` connections at once. A refused one is opened later, by the request that needs it. */
  private async warmUp(): Promise<void> {
    const runners = Array.from({ length: this.stepped.warm ?? 0 }, () => super.createQueryRunner());
    const opened = runners.map((runner) => runner.query('SELECT 1'));
    await Promise.all(opened.map((one) => one.catch(dropped('opening a database connection in advance'))));
    await Promise.all(runners.map((runner) => runner.release()));
  }

  /** The text that is sent for a statement. */
  private sent(sql: string): string {
    const { namedLockPrefix: prefix } = this.stepped;
    return prefix === undefined ? sql : namedLocksAsSent(sql, prefix);
  }

  /** The connection of the runner: a free one, a new one, or the next one that is released. */
  private connectionOf(runner: QueryRunner): Promise<Connection> {
    const connecting = runner.connect() as Promise<Connection>;
    return this.liveness.watch(connecting, () => {
      // the runner is released without a connection: one that it receives later would never return to the pool
      void connecting.then((late) => {
        late.destroy();
      }, dropped('a late database connection'));
    });
  }

  /** Sets what a session would inherit from the server, so that every run has the same isolation. */
  private async fixSessions(): Promise<void> {
    const pool = (this.driver as unknown as { pool: Pool }).pool;
    const query = (sql: string): Promise<unknown[]> =>
      new Promise((resolve, reject) => {
        pool.query(sql, (error, rows) => {
          if (error) reject(error);
          else resolve(rows);
        });
      });
    const snapshotIsolation = await query("SHOW VARIABLES LIKE 'innodb_snapshot_isolation'");
    const settings = [
      `SET SESSION TRANSACTION ISOLATION LEVEL ${this.stepped.isolation ?? 'REPEATABLE READ'}`,
      `SET SESSION innodb_lock_wait_timeout = ${this.stepped.lockWaitSeconds ?? 2}`,
      ...(snapshotIsolation.length > 0 ? ['SET SESSION innodb_snapshot_isolation = OFF'] : []),
    ];
    const adopt = (connection: NewConnection): void => {
      noteObserved(connection.stream);
      connection.stream.once('close', () => {
        this.liveness.closed(connection);
      });
    };
    pool.on('connection', (connection) => {
      adopt(connection);
      for (const sql of settings) connection.query(sql);
    });
    // initialize() has opened one connection before the listener was added: sequential queries reach that one
    pool.once('acquire', adopt);
    for (const sql of settings) await query(sql);
  }
}

/**
 * Sends a statement over the connection. TypeORM's own `query` would do the same, and besides build a wrapper for promises, capture
 * a stack and notify subscribers, which the lab has none of.
 */
function query(connection: Connection, sql: string, parameters: unknown[] | undefined): Promise<unknown> {
  return new Promise((resolve, reject) => {
    connection.query(sql, parameters, (error, reply) => {
      if (error === null) resolve(reply);
      else reject(new QueryFailedError(sql, parameters, error));
    });
  });
}

/** A COMMIT that was sent and got no reply may have been executed. */
function commitLost(error: unknown, sent: boolean): never {
  throw sent && error instanceof DependencyDown
    ? new OutcomeUnknown('the reply to the COMMIT was lost', { cause: error })
    : error;
}

/** The statements on locks by their text. */
const lockStatements = new Map<string, LockCommand>();

/** Makes the statement known as a command on a lock, and returns it. Parameters are not part of its text. */
export function lockStatement(sql: string, command: LockCommand): string {
  lockStatements.set(sql, command);
  return sql;
}

/** Some libraries put comments in front. What the server executes (`/*!`, `/*M!`) is no comment. */
const LEADING_COMMENTS = /^(?:\s+|\/\*(?!M?!)[\s\S]*?\*\/|(?:--(?=\s)|#)[^\n]*\n)+/;

/** Describes a statement as a step. */
export function describe(sql: string, parameters: unknown[] = []): StepInfo {
  const lock = lockStatements.get(sql);
  let used = 0;
  const text = sql
    .replace(LEADING_COMMENTS, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/\?/g, () => (used < parameters.length ? JSON.stringify(parameters[used++]) : '?'));
  const verb = (/^\w+/.exec(text)?.[0] ?? 'SQL').toUpperCase();
  return { kind: 'sql', verb, text, ...(lock !== undefined && { lock }) };
}

/** Connection errors become `DependencyDown`; errors about the statement are returned unchanged. */
function translate(error: unknown): unknown {
  const reason: unknown = error instanceof QueryFailedError ? error.driverError : error;
  const { code = '', fatal } = reason as { code?: string; fatal?: boolean };
  return fatal === true || // the driver marks a connection that can no longer be used
    /^(PROTOCOL_|ECONN|ETIMEDOUT|EPIPE|ENOTFOUND|ER_CON_COUNT|ER_SERVER_SHUTDOWN)/.test(code)
    ? new DependencyDown('mysql', 'the database is not reachable', { cause: error })
    : error;
}
