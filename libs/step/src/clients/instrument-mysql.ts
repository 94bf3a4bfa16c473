import { currentScope, step, type StepInfo } from '../seam';
import { namedLocksAsSent } from './named-locks';
import { noteObserved } from './observed-sockets';
import { whyNotStatement } from './not-in-schedules';
import { describe } from './sql';

/** A command of mysql2: `Query` and `Execute` are statements. */
interface Command {
  sql?: string;
  /** The text of a `Prepare`. */
  query?: unknown;
  readonly values?: unknown;
  /** What an `Execute` of a prepared statement runs. */
  readonly statement?: { readonly query: string };
  onResult?: (error: Error | null, ...reply: unknown[]) => void;
  start?: () => null;
  emit(event: 'end'): boolean;
  once(event: 'end', listener: () => void): unknown;
  once(event: 'error', listener: (error: Error) => void): unknown;
}

/** The part of a mysql2 connection that is used here. */
export interface MysqlConnection {
  readonly threadId: number;
  readonly stream: { readonly closed: boolean; once(event: 'close', listener: () => void): void };
  addCommand(command: Command): Command;
  query(sql: string, done?: (error: Error | null, rows: unknown) => void): unknown;
  destroy(): void;
}

/** The part of a mysql2 pool that is used here. */
export interface MysqlPool {
  readonly config: { readonly connectionLimit: number };
  /** Opening and open connections. Private to mysql2, so that another version may lack it. */
  readonly _allConnections?: { toArray(): readonly { readonly authorized: boolean }[] };
  on(event: 'acquire' | 'connection' | 'release', listener: (connection: MysqlConnection) => void): unknown;
  getConnection(done: (error: Error | null, connection: MysqlConnection & { release(): void }) => void): void;
}

/** What is done at the beginning of every session of an instrumented client. */
export interface SessionHooks {
  /** Statements that each new session runs first. */
  readonly settings: readonly string[];
  /** Put before the names of GET_LOCK locks, which are global to the server. */
  readonly namedLockPrefix: string;
  /** Called once for each session, before its first statement. */
  readonly onSession: (connection: MysqlConnection) => void;
}

/** Connections that a pool opens before the first schedule: opening one during a schedule costs it some milliseconds. */
const WARM = 2;

/**
 * Statements that may leave something in their session, which the next user of the connection finds: variables, an isolation level,
 * another schema, temporary tables, prepared statements. SET TRANSACTION is none: it ends with the next transaction.
 */
const LEAVES_SOMETHING =
  /(?:^|; ?)(?:SET(?! TRANSACTION )|USE|PREPARE|EXECUTE|CALL|HANDLER|FLUSH|BEGIN NOT|CREATE TEMPORARY)\b|:=|\bINTO @/i;

/** Statements that show what the session has done before: also in a schedule before this one, whose connection it is. */
const SHOWS_SESSION =
  /\b(?:LAST_INSERT_ID|ROW_COUNT|FOUND_ROWS|LASTVAL|PREVIOUS VALUE)\b|\bSHOW (?:COUNT\(\*\) )?(?:WARNINGS|ERRORS)\b|@@(?:\w+\.)?(?:identity|last_insert_id|warning_count|error_count)\b/i;

/** A pool whose statements pass the seam. */
export interface InstrumentedPool {
  /**
   * Destroys the connections that were not released, because code of a dead process never does so, and those whose sessions are no
   * longer as they began, as far as code may notice it. Leaves a free one.
   */
  reset(): Promise<void>;
  /** It opens a connection: a statement waits for it without being a step. */
  readonly isConnecting: boolean;
  /** The isolation level of its sessions, for example `REPEATABLE-READ`. */
  isolation(): Promise<string>;
  /** Its sessions begin with autocommit. */
  commitsEachStatement(): Promise<boolean>;
}

/** Makes every statement of a pool pass the seam: also those of TypeORM and other users of the pool. */
export async function instrumentPool(pool: MysqlPool, hooks: SessionHooks): Promise<InstrumentedPool> {
  pool.on('connection', (connection) => {
    for (const sql of hooks.settings) connection.query(sql);
  });
  // 'acquire' follows 'connection': what the listeners of the latter send when a session begins is no step
  const inUse = followUse(pool);
  const changed = new Set<MysqlConnection>();
  const used = new Set<MysqlConnection>();
  const noteChange = (connection: MysqlConnection): void => void changed.add(connection);
  let showsSessions = false;
  pool.on('acquire', (connection) => {
    instrumentConnection(connection, hooks, {
      onStatement: (text) => {
        used.add(connection);
        if (LEAVES_SOMETHING.test(text)) noteChange(connection);
        showsSessions ||= SHOWS_SESSION.test(text);
      },
      onClose: () => {
        noteChange(connection);
      },
    });
  });
  const opened = Array.from({ length: Math.min(WARM, pool.config.connectionLimit) }, () => acquire(pool));
  for (const connection of await Promise.all(opened)) {
    for (const sql of hooks.settings) connection.query(sql); // it may be older than the listener
    connection.release();
  }
  return {
    reset: async () => {
      for (const connection of new Set([...inUse, ...(showsSessions ? used : changed)])) connection.destroy();
      for (const noted of [inUse, changed, used]) noted.clear();
      const opened = await acquire(pool); // the end of a schedule may have closed the free ones
      opened.release();
    },
    get isConnecting() {
      return isConnecting(pool);
    },
    isolation: async () => {
      // its name depends on the server
      const [row] = await rowsOf(
        pool,
        "SHOW VARIABLES WHERE Variable_name IN ('tx_isolation', 'transaction_isolation')",
        noteChange,
      );
      return String(row?.['Value']);
    },
    commitsEachStatement: async () => {
      const [row] = await rowsOf(pool, 'SELECT @@autocommit AS isOn', noteChange);
      return Number(row?.['isOn']) === 1;
    },
  };
}

/** The connections that code has taken from the pool since this call. One that is destroyed stays until it is removed. */
export function followUse(pool: MysqlPool): Set<MysqlConnection> {
  const inUse = new Set<MysqlConnection>();
  pool.on('acquire', (connection) => inUse.add(connection));
  pool.on('release', (connection) => inUse.delete(connection));
  return inUse;
}

/** The pool opens a connection. */
export const isConnecting = ({ _allConnections }: Pick<MysqlPool, '_allConnections'>): boolean =>
  _allConnections?.toArray().some(({ authorized }) => !authorized) === true;

const acquire = (pool: MysqlPool): Promise<MysqlConnection & { release(): void }> =>
  new Promise((resolve, reject) => {
    pool.getConnection((error, connection) => {
      if (error) reject(error);
      else resolve(connection);
    });
  });

/** What a new statement of the pool is answered. `onUse`: called with its connection. */
async function rowsOf(
  pool: MysqlPool,
  sql: string,
  onUse: (connection: MysqlConnection) => void,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const connection = await acquire(pool);
  onUse(connection);
  try {
    return await new Promise((resolve, reject) => {
      connection.query(sql, (error, rows) => {
        if (error) reject(error);
        else resolve(rows as readonly Readonly<Record<string, unknown>>[]);
      });
    });
  } finally {
    connection.release();
  }
}

const instrumented = new WeakSet<MysqlConnection>();

/** What is noted of a session. */
interface SessionUse {
  /** Called with the text of a statement. */
  readonly onStatement: (text: string) => void;
  /** Called when it closes a prepared statement. */
  readonly onClose: () => void;
}

/** Makes every statement of a connection pass the seam, on behalf of the actor that sends it. */
function instrumentConnection(
  connection: MysqlConnection,
  { onSession, namedLockPrefix }: SessionHooks,
  { onStatement, onClose }: SessionUse,
): void {
  if (instrumented.has(connection)) return;
  instrumented.add(connection);
  noteObserved(connection.stream);
  onSession(connection);
  const add = connection.addCommand.bind(connection);
  let prepare: Command | undefined;
  /** `Connection.execute` adds a `Prepare` and then its `Execute`; another one is sent at once. */
  const sendPrepare = (): void => {
    const waiting = prepare;
    prepare = undefined;
    if (waiting !== undefined) add(waiting);
  };
  connection.addCommand = (command) => {
    const info = currentScope() === undefined ? undefined : statementOf(command);
    prefixNames(command, namedLockPrefix);
    if (info !== undefined) onStatement(info.text);
    else if (closesStatement(command)) onClose();
    const isPrepared =
      info !== undefined && command.constructor.name === 'Execute' && command.statement === undefined;
    const before = isPrepared ? prepare : undefined;
    if (isPrepared) prepare = undefined;
    sendPrepare();
    if (info !== undefined) return addAsStep(connection, command, add, { info, before });
    if (currentScope() === undefined || command.constructor.name !== 'Prepare') return add(command);
    prepare = command;
    queueMicrotask(sendPrepare);
    return command;
  };
}

/** mysql2 keeps a statement that it has closed, and runs it again when its text is prepared again: the database refuses that. */
const closesStatement = (command: Command): boolean => command.constructor.name === 'CloseStatement';

/** An `Execute` sends no text: that of its `Prepare` was sent before. */
function prefixNames(command: Command, prefix: string): void {
  const kind = command.constructor.name;
  if (kind === 'Query' && command.sql !== undefined) command.sql = namedLocksAsSent(command.sql, prefix);
  if (kind === 'Prepare' && typeof command.query === 'string')
    command.query = namedLocksAsSent(command.query, prefix);
}

/** Undefined: the command is no statement, for example the preparation of one. */
function statementOf(command: Command): StepInfo | undefined {
  const { sql = command.statement?.query, values } = command;
  const kind = command.constructor.name;
  if (sql === undefined || (kind !== 'Query' && kind !== 'Execute')) return undefined;
  const info = describe(sql, kind === 'Execute' && Array.isArray(values) ? values : []); // a Query contains its values
  const refused = whyNotStatement(info.text);
  return refused === undefined ? info : { ...info, refused };
}

/**
 * Adds the command when its step is issued, and delivers the reply when the listener has returned it. `before`: its preparation, which
 * uses the tables as well, and may fail in its place.
 */
function addAsStep(
  connection: MysqlConnection,
  command: Command,
  add: MysqlConnection['addCommand'],
  { info, before }: { readonly info: StepInfo; readonly before: Command | undefined },
): Command {
  const deliver = command.onResult;
  let isAdded = false;
  let fields: unknown[] = [];
  const { threadId } = connection; // not known before the connection is open
  const issued = step(
    () => ({ ...info, ...(threadId && { connection: threadId }) }),
    (current) => {
      if (current !== undefined) current.connection = connection.threadId;
      isAdded = true;
      return new Promise((resolve, reject) => {
        if (deliver === undefined) command.once('error', reject);
        else
          command.onResult = (error, rows, ...rest) => {
            fields = rest;
            if (error) reject(error);
            else resolve(rows);
          };
        command.once('end', () => {
          // mysql2 calls onResult in a later tick; a statement that was not prepared has no result
          setImmediate(resolve);
        });
        if (before !== undefined) {
          const prepared = before.onResult;
          before.onResult = (error, statement) => {
            if (error === null || deliver === undefined) prepared?.(error, statement);
            else {
              command.start = () => null; // it sends nothing
              reject(error);
            }
          };
          add(before);
        }
        add(command);
      });
    },
  );
  const settle = (error: Error | null, ...reply: unknown[]): void => {
    process.nextTick(() => {
      // an error of the callback is not one of this promise
      deliver?.call(command, error, ...reply);
      if (!isAdded) command.emit('end'); // a pool waits for it before it takes the connection back
    });
  };
  issued.then(
    (rows) => {
      settle(null, rows, ...fields);
    },
    (error: unknown) => {
      settle(error as Error);
    },
  );
  return command;
}
