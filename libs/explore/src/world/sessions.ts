import type { Connection, RowDataPacket } from 'mysql2/promise';

/** A statement that was sent and is not answered yet. */
export interface OpenStatement {
  /** The session that it was sent in. */
  readonly thread: number;
  /** The name that it asks a lock for, as an SQL expression; absent: it asks for row locks, if for any. */
  readonly lockName: string | undefined;
}

/** What the database server says about the sessions of actors: who waits, who is gone. Sessions are thread ids. */
export class Sessions {
  private constructor(
    private readonly admin: Connection,
    private readonly isMariaDb: boolean,
  ) {}

  static async open(admin: Connection): Promise<Sessions> {
    const [rows] = await admin.query<RowDataPacket[]>('SELECT VERSION() AS version');
    return new Sessions(admin, (rows[0] as { version: string }).version.includes('MariaDB'));
  }

  /**
   * Those of the statements that wait for a row lock or a named lock right now. Row locks. MariaDB: from SHOW ENGINE
   * INNODB STATUS, because its INNODB_LOCK_WAITS goes stale when polled; MySQL 8: from performance_schema.
   */
  async waiting(statements: readonly OpenStatement[]): Promise<ReadonlySet<number>> {
    const named = statements.filter(({ lockName }) => lockName !== undefined);
    const rows = statements.filter(({ lockName }) => lockName === undefined).map(({ thread }) => thread);
    const found = new Set(await this.waitingForName(named));
    if (rows.length > 0) {
      const waits = this.isMariaDb ? await this.waitingInStatus(rows) : await this.waitingInSchema();
      for (const thread of rows) if (waits.has(thread)) found.add(thread);
    }
    return found;
  }

  /** Ends sessions as the death of their client does, and resolves when the server has rolled them back. */
  async end(threads: readonly number[]): Promise<void> {
    for (const thread of threads)
      await this.admin.query('KILL CONNECTION ?', [thread]).catch(() => undefined);
    await this.gone(threads);
  }

  /** Resolves when the server has noticed that these sessions are over, and has freed what they held. */
  async gone(threads: readonly number[]): Promise<void> {
    if (threads.length === 0) return;
    for (;;) {
      const [alive] = await this.admin.query<RowDataPacket[]>(
        'SELECT ID FROM information_schema.PROCESSLIST WHERE ID IN (?)',
        [threads],
      );
      if (alive.length === 0) return;
    }
  }

  /** Ends the statement that runs in a session, and leaves the session and its transaction as they are. */
  async interrupt(thread: number): Promise<void> {
    await this.admin.query('KILL QUERY ?', [thread]);
  }

  private async waitingInStatus(threads: readonly number[]): Promise<Set<number>> {
    const [rows] = await this.admin.query<RowDataPacket[]>('SHOW ENGINE INNODB STATUS');
    const status = (rows[0] as { Status: string }).Status;
    const sections = status.slice(status.indexOf('\nTRANSACTIONS\n')).split('\n---TRANSACTION ').slice(1);
    const waits = sections.filter((section) => section.includes('LOCK WAIT'));
    return new Set(
      threads.filter((thread) => waits.some((section) => section.includes(` thread id ${thread},`))),
    );
  }

  private async waitingInSchema(): Promise<Set<number>> {
    const [rows] = await this.admin.query<RowDataPacket[]>(
      `SELECT t.PROCESSLIST_ID AS id FROM performance_schema.data_lock_waits w
         JOIN performance_schema.threads t ON t.THREAD_ID = w.REQUESTING_THREAD_ID`,
    );
    return new Set(rows.map((row) => (row as { id: number }).id));
  }

  /**
   * A statement waits when another session has the name and the statement has begun to wait. The process list by itself still shows
   * `User lock` for a moment after the name was granted; the owner of the name by itself says nothing of a statement
   * that has not arrived yet.
   */
  private async waitingForName(statements: readonly OpenStatement[]): Promise<number[]> {
    if (statements.length === 0) return [];
    const owners = statements.map(({ lockName = '' }, i) => `IS_USED_LOCK(${lockName}) AS owner${i}`);
    const [[used], [begun]] = [
      // eslint-disable-next-line no-restricted-syntax -- the name is an expression: the same text as in the statement
      await this.admin.query<RowDataPacket[]>(`SELECT ${owners.join(', ')}`),
      await this.admin.query<RowDataPacket[]>(
        "SELECT ID AS id FROM information_schema.PROCESSLIST WHERE ID IN (?) AND STATE = 'User lock'",
        [statements.map(({ thread }) => thread)],
      ),
    ];
    const begunIn = new Set(begun.map((row) => (row as { id: number }).id));
    return statements.flatMap(({ thread }, i) => {
      const owner = (used[0] as Record<string, number | null>)[`owner${i}`] ?? thread; // free: it is about to be granted
      return owner !== thread && begunIn.has(thread) ? [thread] : [];
    });
  }
}
