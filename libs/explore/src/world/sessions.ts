import { namedLocksAsSent, NO_WAIT, prefixedName } from '#lab/step';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { setTimeout as delay } from 'node:timers/promises';
import { innodbStatus, isOf } from './innodb-status';

/** A statement that was sent and is unanswered. */
export interface OpenStatement {
  readonly thread: number;
  /** Name of the lock it requests (GET_LOCK), as an SQL expression; absent: it requests row locks or none. */
  readonly lockName: string | undefined;
}

/** Milliseconds for which the process list may show a wait for a table that has been granted. */
const GRANTED_MS = 5;

/** A section of SHOW ENGINE INNODB STATUS about a transaction that waits for a row. */
const isForRow = (section: string): boolean => section.includes('GRANTED:\nRECORD LOCKS');

/** Asks the database server about actors' sessions: which ones wait, which ones have ended. Sessions are thread ids. */
export class Sessions {
  private constructor(
    private readonly admin: Connection,
    private readonly isMariaDb: boolean,
    private readonly namedLockPrefix: string,
  ) {}

  static async open(admin: Connection, namedLockPrefix: string): Promise<Sessions> {
    const [rows] = await admin.query<RowDataPacket[]>('SELECT VERSION() AS version');
    return new Sessions(admin, (rows[0] as { version: string }).version.includes('MariaDB'), namedLockPrefix);
  }

  /**
   * The statements that wait for a row lock, a named lock or, with `mayLockTables`, a table right now. Row lock waits are read from SHOW ENGINE
   * INNODB STATUS on MariaDB, because its INNODB_LOCK_WAITS goes stale when polled, and from performance_schema on
   * MySQL 8.
   */
  async waiting(statements: readonly OpenStatement[], mayLockTables: boolean): Promise<ReadonlySet<number>> {
    const named = statements.filter(({ lockName }) => lockName !== undefined);
    const rows = statements.filter(({ lockName }) => lockName === undefined).map(({ thread }) => thread);
    const found = new Set(await this.waitingForName(named));
    if (rows.length > 0) {
      const waits = this.isMariaDb ? await this.waitingInStatus(rows) : await this.waitingInSchema();
      if (mayLockTables) for (const thread of await this.waitingForTable(rows)) waits.add(thread);
      for (const thread of rows) if (waits.has(thread)) found.add(thread);
    }
    return found;
  }

  /** Ends sessions as a client crash does; resolves when the server has rolled them back. */
  async end(threads: readonly number[]): Promise<void> {
    for (const thread of threads)
      await this.admin.query('KILL CONNECTION ?', [thread]).catch(() => undefined);
    await this.waitUntilEnded(threads);
  }

  /** Resolves when the server has ended these sessions and released their locks. */
  async waitUntilEnded(threads: readonly number[]): Promise<void> {
    if (threads.length === 0) return;
    for (;;) {
      const [alive] = await this.admin.query<RowDataPacket[]>(
        'SELECT ID FROM information_schema.PROCESSLIST WHERE ID IN (?)',
        [threads],
      );
      if (alive.length === 0) return;
    }
  }

  /** Those of these sessions that have an open transaction. */
  async inTransaction(threads: readonly number[]): Promise<readonly number[]> {
    if (threads.length === 0) return [];
    const [rows] = await this.admin.query<RowDataPacket[]>(
      'SELECT trx_mysql_thread_id AS id FROM information_schema.innodb_trx WHERE trx_mysql_thread_id IN (?)',
      [threads],
    );
    return rows.map((row) => (row as { id: number }).id);
  }

  /** A session of a schema, besides these, waits for a row or a table. */
  async isWaitingIn(schema: string, besides: readonly number[]): Promise<boolean> {
    const [rows] = await this.admin.query<RowDataPacket[]>(
      `SELECT p.ID FROM information_schema.PROCESSLIST p
         LEFT JOIN information_schema.INNODB_TRX t ON t.trx_mysql_thread_id = p.ID
         WHERE p.DB = ? AND p.ID NOT IN (?) AND (p.STATE LIKE 'Waiting for % lock' OR t.trx_state = 'LOCK WAIT')`,
      [schema, [0, ...besides]],
    );
    return rows.length > 0;
  }

  /** Cancels the running statement of a session; the session and its transaction stay. */
  async interrupt(thread: number): Promise<void> {
    await this.admin.query('KILL QUERY ?', [thread]);
  }

  /** What a GET_LOCK is answered whose time is over, by the server: the statement without a wait, while another session has the name. */
  async refusal(text: string): Promise<unknown> {
    const [rows] = await this.admin.query(namedLocksAsSent(text, this.namedLockPrefix, NO_WAIT));
    return rows;
  }

  private async waitingInStatus(threads: readonly number[]): Promise<Set<number>> {
    const { transactions } = await innodbStatus(this.admin);
    const waits = transactions.filter((section) => section.includes('LOCK WAIT'));
    const waiting = threads.filter((thread) => waits.some((section) => isOf(section, thread)));
    if (waiting.length > 0 && (await this.suspendedRowWaits()) < waits.filter(isForRow).length)
      return new Set();
    return new Set(waiting);
  }

  /**
   * Row lock waits of all sessions whose thread has looked for a deadlock. MariaDB shows a wait before that, and of two
   * equal transactions the one that looks last is the victim.
   */
  private async suspendedRowWaits(): Promise<number> {
    const [rows] = await this.admin.query<RowDataPacket[]>(
      "SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'",
    );
    return Number((rows[0] as { Value: string }).Value);
  }

  /**
   * By the table lock of the transaction, not by REQUESTING_THREAD_ID: in MySQL 9.7 that was the thread of the holder
   * (examples/coupon, row lock). INNODB_TRX goes stale when it is polled.
   */
  private async waitingInSchema(): Promise<Set<number>> {
    const [rows] = await this.admin.query<RowDataPacket[]>(
      `SELECT DISTINCT t.PROCESSLIST_ID AS id FROM performance_schema.data_lock_waits w
         JOIN performance_schema.data_locks l
           ON l.ENGINE_TRANSACTION_ID = w.REQUESTING_ENGINE_TRANSACTION_ID AND l.LOCK_TYPE = 'TABLE'
         JOIN performance_schema.threads t ON t.THREAD_ID = l.THREAD_ID`,
    );
    return new Set(rows.map((row) => (row as { id: number }).id));
  }

  /** The sessions that wait for a metadata lock or a table lock, now and a moment later. */
  private async waitingForTable(threads: readonly number[]): Promise<readonly number[]> {
    const first = await this.inState(threads, 'Waiting for % lock');
    if (first.length === 0) return [];
    await delay(GRANTED_MS);
    return this.inState(first, 'Waiting for % lock');
  }

  /** Those of these sessions whose state in the process list is like `state`. */
  private async inState(threads: readonly number[], state: string): Promise<readonly number[]> {
    const [rows] = await this.admin.query<RowDataPacket[]>(
      'SELECT ID AS id FROM information_schema.PROCESSLIST WHERE ID IN (?) AND STATE LIKE ?',
      [threads, state],
    );
    return rows.map((row) => (row as { id: number }).id);
  }

  /**
   * A statement waits when another session holds the name and the statement has begun to wait. Neither fact suffices:
   * the process list still shows `User lock` for a moment after the grant, and an owner exists before the statement
   * has arrived.
   */
  private async waitingForName(statements: readonly OpenStatement[]): Promise<number[]> {
    if (statements.length === 0) return [];
    const owners = statements.map(
      ({ lockName = '' }, i) => `IS_USED_LOCK(${prefixedName(this.namedLockPrefix, lockName)}) AS owner${i}`,
    );
    // eslint-disable-next-line no-restricted-syntax -- the name is an expression: the same text as in the statement
    const [used] = await this.admin.query<RowDataPacket[]>(`SELECT ${owners.join(', ')}`);
    const threads = statements.map(({ thread }) => thread);
    const begunIn = new Set(await this.inState(threads, 'User lock'));
    return statements.flatMap(({ thread }, i) => {
      const owner = (used[0] as Record<string, number | null>)[`owner${i}`] ?? thread; // free: about to be granted
      return owner !== thread && begunIn.has(thread) ? [thread] : [];
    });
  }
}
