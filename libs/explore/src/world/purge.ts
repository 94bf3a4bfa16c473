import type { Step } from '#lab/step';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { innodbStatus, isOf } from './innodb-status';
import { hasDeletedNone, mayWriteRows } from './sql-statements';

/** Time after which a purge that does not end is never awaited again: another user of the server keeps a snapshot. Milliseconds. */
const PATIENCE_MS = 30_000;

/** A change of one table, and what it changes: with the condition only if that is not known to be one. */
const UPDATE = /^UPDATE `?(\w+)`? SET ((?:(?!\bSELECT\b|;).)*?)(?: WHERE (?:(?!\bSELECT\b|;).)*)?$/is;
const INSERT =
  /^INSERT (?:IGNORE )?INTO `?(\w+)`?(?:[^;]*? ON DUPLICATE KEY UPDATE ([^;]*)|(?:(?! ON DUPLICATE )[^;])*)$/i;

/** The columns of all indexes of a table; NULL: a computed one, or the table has a trigger, which may change any row. */
const READ_INDEXED = `SELECT LOWER(s.COLUMN_NAME) AS name, COALESCE(c.GENERATION_EXPRESSION, '') <> '' AS isGenerated
  FROM information_schema.STATISTICS s
    LEFT JOIN information_schema.COLUMNS c USING (TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME)
  WHERE s.TABLE_SCHEMA IN (?) AND s.TABLE_NAME = ?
  UNION ALL
  SELECT NULL, 0 FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_SCHEMA IN (?) AND EVENT_OBJECT_TABLE = ?`;

/** A statement that changes which tables and triggers there are, or their indexes. */
const CHANGES_TABLES = /^(?:CREATE|ALTER|DROP|RENAME)$/;

/** A new table leaves all others as they are. */
const CREATE_TABLE = /^CREATE TABLE (?:IF NOT EXISTS )?`?(\w+)`?/i;

type Sent = Pick<Step, 'kind' | 'verb' | 'text'>;

/**
 * The purge of InnoDB, which removes deleted rows and old entries of an index about a millisecond after the commit, or much later on a
 * busy machine. Before it, a locking read finds the row and locks it; after it, the read locks a gap, which excludes no other locking
 * read. With foreign code, a schedule therefore goes on only when the purge has ended: its result must not depend on how fast that was.
 */
export class Purge {
  /** Something may be left to remove. */
  private isDue = false;
  /** The purge of what came before the schedule, since its first statement. */
  private first: Promise<void> | undefined = Promise.resolve();
  private isHopeless = false;
  private hasMark = false;
  /** The columns of the indexes of each table. */
  private readonly indexed = new Map<string, readonly string[] | undefined>();

  constructor(
    private readonly admin: Connection,
    /** The schemas of the tables that foreign code uses. */
    private readonly schemas: readonly string[],
  ) {}

  /** Foreign code runs a new schedule: what came before may have deleted rows. */
  begin(): void {
    this.first = undefined;
  }

  /** The tables of foreign code are others now. */
  forgetTables(): void {
    this.indexed.clear();
  }

  /** Code often creates its table in each request, if it does not exist. */
  private forgetTablesChangedBy({ text }: Sent): void {
    const [, created] = CREATE_TABLE.exec(text) ?? [];
    if (created === undefined) this.forgetTables();
    else if (this.indexed.get(created) === undefined) this.indexed.delete(created);
  }

  /** Called before a statement of foreign code is sent. `onLook`: called whenever the server has been asked. */
  async before({ kind }: Pick<Step, 'kind'>, onLook: () => void): Promise<void> {
    if (kind === 'sql') await (this.first ??= this.untilEnded([], onLook));
  }

  /** Called when a statement of foreign code has been answered. Without `reply` it failed. `sessions`: those of all actors. */
  async after(step: Sent, reply: unknown, sessions: () => readonly number[]): Promise<void> {
    if (step.kind !== 'sql') return;
    if (CHANGES_TABLES.test(step.verb)) this.forgetTablesChangedBy(step);
    this.isDue ||= mayWriteRows(step) && !hasDeletedNone(step, reply) && (await this.mayDelete(step));
    if (this.isDue) await this.untilEnded(sessions(), () => undefined);
  }

  /**
   * Resolves when what was committed before this call has been removed. Returns early while one of these sessions has a snapshot, which
   * keeps it; then, and while one has changes that are not committed, a purge stays due.
   *
   * The purge removes in batches what had been committed when the batch began. The explorer commits a mark. When a batch has fetched it,
   * the purge has ended as soon as it is idle, or has fetched a second mark, which belongs to a later batch.
   */
  private async untilEnded(sessions: readonly number[], onLook: () => void): Promise<void> {
    const giveUpAt = performance.now() + PATIENCE_MS;
    let fetched = 0;
    let mark: number | undefined;
    while (!this.isHopeless) {
      const { text, transactions } = await innodbStatus(this.admin);
      const own = transactions.filter((section) => sessions.some((thread) => isOf(section, thread)));
      if (own.some((section) => section.includes('Trx read view'))) return;
      const { counter, fetchedBelow, isIdle, left } = progressIn(text);
      if (mark !== undefined && fetchedBelow > mark) {
        fetched++;
        mark = undefined;
      }
      if (left === 0 || fetched === 2 || (fetched === 1 && isIdle)) {
        this.isDue = own.some((section) => section.includes('undo log entr'));
        return;
      }
      if (mark === undefined) {
        mark = counter;
        await this.writeMark();
      }
      onLook();
      this.isHopeless = performance.now() > giveUpAt;
    }
  }

  /** A transaction with something to purge, whose number is higher than those of all that have ended. */
  private async writeMark(): Promise<void> {
    if (!this.hasMark)
      await this.admin.query(
        'CREATE TABLE IF NOT EXISTS purge_mark (id INT PRIMARY KEY, n INT NOT NULL); INSERT IGNORE INTO purge_mark VALUES (1, 0)',
      );
    this.hasMark = true;
    await this.admin.query('UPDATE purge_mark SET n = n + 1');
  }

  /** An INSERT leaves nothing to remove, and an UPDATE only when it changes a column of an index. */
  private async mayDelete({ text }: Sent): Promise<boolean> {
    const [, table, changed = ''] = UPDATE.exec(text) ?? INSERT.exec(text) ?? [];
    const indexed = table === undefined ? undefined : await this.indexedIn(table);
    if (indexed === undefined) return true;
    const words = new Set(changed.toLowerCase().match(/\w+/g));
    return indexed.some((column) => words.has(column));
  }

  /** The columns of its indexes. Undefined: any change of the table may change an index. */
  private async indexedIn(table: string): Promise<readonly string[] | undefined> {
    if (this.indexed.has(table)) return this.indexed.get(table);
    const { schemas } = this;
    const [rows] = await this.admin.query<RowDataPacket[]>(READ_INDEXED, [schemas, table, schemas, table]);
    const isAny =
      rows.length === 0 || rows.some(({ name, isGenerated }) => name === null || isGenerated === 1);
    const columns = isAny ? undefined : rows.map(({ name }) => String(name));
    this.indexed.set(table, columns);
    return columns;
  }
}

/**
 * How far the purge is. Transactions of the future have numbers from `counter`; the purge has fetched what those below `fetchedBelow`
 * have left, and removes it until it is idle. `left`: transactions in the history, which is shortened later.
 */
function progressIn(status: string): {
  counter: number;
  fetchedBelow: number;
  isIdle: boolean;
  left: number;
} {
  const numberAt = (pattern: RegExp): number => Number(pattern.exec(status)?.[1] ?? NaN);
  return {
    counter: numberAt(/^Trx id counter (\d+)/m),
    fetchedBelow: numberAt(/^Purge done for trx's n:o < (\d+)/m),
    isIdle: /^Purge done for .* state: running but idle$/m.test(status),
    left: numberAt(/^History list length (\d+)/m),
  };
}
