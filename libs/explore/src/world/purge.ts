import type { Step } from '#lab/step';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { innodbStatus, isOf } from './innodb-status';
import { mayDeleteRows, tableIn } from './sql-statements';

/** Time after which a purge that does not end is never awaited again: another user of the server keeps a snapshot. Milliseconds. */
const PATIENCE_MS = 30_000;

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
  private readonly indexed = new Map<string, readonly string[]>();

  constructor(
    private readonly admin: Connection,
    /** The schemas of the tables that foreign code uses. */
    private readonly schemas: readonly string[],
  ) {}

  /** Foreign code runs a new schedule: what came before may have deleted rows. */
  begin(): void {
    this.first = undefined;
    this.indexed.clear(); // it may have other tables
  }

  /** Called before a statement of foreign code is sent. `onLook`: called whenever the server has been asked. */
  async before({ kind }: Pick<Step, 'kind'>, onLook: () => void): Promise<void> {
    if (kind === 'sql') await (this.first ??= this.untilEnded([], onLook));
  }

  /** Called when a statement of foreign code has been answered. `sessions`: those of all actors. */
  async after(step: Sent, sessions: () => readonly number[]): Promise<void> {
    if (step.kind !== 'sql') return;
    this.isDue ||= await this.mayDelete(step);
    if (this.isDue) await this.untilEnded(sessions(), () => undefined);
  }

  /**
   * Resolves when what was committed before this call has been removed. Returns early while one of these sessions has a snapshot, which
   * keeps it; then, and while one has changes that are not committed, a purge stays due.
   */
  private async untilEnded(sessions: readonly number[], onLook: () => void): Promise<void> {
    const giveUpAt = performance.now() + PATIENCE_MS;
    let mark: number | undefined;
    while (!this.isHopeless) {
      const { text, transactions } = await innodbStatus(this.admin);
      const own = transactions.filter((section) => sessions.some((thread) => isOf(section, thread)));
      if (own.some((section) => section.includes('Trx read view'))) return;
      const { counter, purgedBelow, isIdle, left } = progressIn(text);
      if (left === 0 || (isIdle && mark !== undefined && purgedBelow > mark)) {
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

  /** An UPDATE leaves something to remove only when it changes a column of an index. */
  private async mayDelete(step: Sent): Promise<boolean> {
    if (!mayDeleteRows(step)) return false;
    const changed = /^[^;]*?\b(?:SET|KEY UPDATE)\s([^;]*?)(?:\sWHERE\s[^;]*)?;?$/i.exec(step.text)?.[1];
    const table = tableIn(step.text);
    if (changed === undefined || table === undefined || !/^(UPDATE|INSERT)$/.test(step.verb)) return true;
    const words = new Set(changed.toLowerCase().match(/\w+/g));
    return (await this.indexedIn(table)).some((column) => words.has(column));
  }

  private async indexedIn(table: string): Promise<readonly string[]> {
    const known = this.indexed.get(table);
    if (known !== undefined) return known;
    const [rows] = await this.admin.query<RowDataPacket[]>(
      'SELECT DISTINCT LOWER(COLUMN_NAME) AS name FROM information_schema.STATISTICS WHERE TABLE_SCHEMA IN (?) AND TABLE_NAME = ?',
      [this.schemas, table],
    );
    const columns = rows.map((row) => String(row['name']));
    this.indexed.set(table, columns);
    return columns;
  }
}

/**
 * How far the purge is. Transactions of the future have numbers from `counter`; the purge has begun to remove what those below
 * `purgedBelow` have left, and has ended that when it is idle. `left`: transactions in the history, which is shortened later.
 */
function progressIn(status: string): { counter: number; purgedBelow: number; isIdle: boolean; left: number } {
  const numberAt = (pattern: RegExp): number => Number(pattern.exec(status)?.[1] ?? NaN);
  return {
    counter: numberAt(/^Trx id counter (\d+)/m),
    purgedBelow: numberAt(/^Purge done for trx's n:o < (\d+)/m),
    isIdle: /^Purge done for .* state: running but idle$/m.test(status),
    left: numberAt(/^History list length (\d+)/m),
  };
}
