import type { Connection, RowDataPacket } from 'mysql2/promise';

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
   * Those of `threads` that wait for a row lock or a named lock right now. MariaDB: from SHOW ENGINE INNODB STATUS,
   * because its INNODB_LOCK_WAITS goes stale when polled; MySQL 8: from performance_schema.
   */
  async waiting(threads: readonly number[], named: boolean): Promise<ReadonlySet<number>> {
    const rows = this.isMariaDb ? await this.waitingInStatus(threads) : await this.waitingInSchema();
    if (named) for (const thread of await this.waitingForName()) rows.add(thread);
    return new Set(threads.filter((thread) => rows.has(thread)));
  }

  /** Ends sessions as the death of their client does, and resolves when the server has rolled them back. */
  async end(threads: readonly number[]): Promise<void> {
    for (const thread of threads)
      await this.admin.query('KILL CONNECTION ?', [thread]).catch(() => undefined);
    for (;;) {
      if (threads.length === 0) return;
      const [alive] = await this.admin.query<RowDataPacket[]>(
        'SELECT ID FROM information_schema.PROCESSLIST WHERE ID IN (?)',
        [threads],
      );
      if (alive.length === 0) return;
    }
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

  private async waitingForName(): Promise<number[]> {
    const [rows] = await this.admin.query<RowDataPacket[]>(
      "SELECT ID AS id FROM information_schema.PROCESSLIST WHERE STATE = 'User lock'",
    );
    return rows.map((row) => (row as { id: number }).id);
  }
}
