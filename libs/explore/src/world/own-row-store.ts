import type { StepInfo } from '#lab/step';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import type { LockReading, LockStore } from './lock-stores';

/** The columns of a table that a lock has created. */
interface Table {
  readonly key: string;
  /** Columns of text: the owner. */
  readonly owner: readonly string[];
  /** Columns of numbers and times: the expiry. */
  readonly expiry: readonly string[];
}

const WRITES = /^(INSERT|REPLACE|UPDATE|DELETE|CREATE)$/;
const TABLE_OF = /\b(?:INTO|UPDATE|FROM|TABLE(?: IF NOT EXISTS)?) `?(\w+)`?/i;

const READ_COLUMNS = `SELECT COLUMN_NAME AS name, COLUMN_KEY AS \`key\`, CHARACTER_MAXIMUM_LENGTH IS NOT NULL AS isText
  FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION`;

/**
 * Rows of tables that are not the lab's, whose key contains the name of a resource: locks of a library that has a table of its
 * own. What their columns mean is not known: text is taken for the owner, and a row with a number or time in it for one that
 * ends after the lease of the request. At its end it is deleted, which such a library must treat as an expired row.
 */
export class OwnRowStore implements LockStore {
  readonly name = 'table';
  readonly pipelined = false;
  private readonly tables = new Map<string, Table | undefined>();
  /** The expiry of each lock when it was last read. */
  private readonly expiries = new Map<string, string>();

  private constructor(
    private readonly admin: Connection,
    /** The tables of the lab. */
    private readonly known: ReadonlySet<string>,
  ) {}

  static async open(admin: Connection): Promise<OwnRowStore> {
    const [rows] = await admin.query<RowDataPacket[]>('SHOW TABLES');
    return new OwnRowStore(admin, new Set(rows.flatMap((row) => Object.values(row) as string[])));
  }

  touchedBy({ kind, verb, text }: StepInfo): boolean {
    if (kind !== 'sql' || !WRITES.test(verb)) return false;
    const table = TABLE_OF.exec(text)?.[1];
    if (table === undefined || this.known.has(table)) return false;
    if (!this.tables.has(table)) this.tables.set(table, undefined);
    return true;
  }

  async read(): Promise<readonly LockReading[]> {
    const found: LockReading[] = [];
    for (const name of this.tables.keys()) {
      const table = await this.columnsOf(name);
      if (table === undefined) continue;
      const [rows] = await this.admin.query<RowDataPacket[]>('SELECT * FROM ??', [name]);
      for (const row of rows) {
        const lock = String(row[table.key]);
        if (lock.includes('lock:')) found.push(this.readingOf(row, lock, table));
      }
    }
    return found;
  }

  /** False when a transaction has locked the row. */
  async end(lock: string): Promise<boolean> {
    let isEnded = false;
    await this.admin.beginTransaction();
    for (const [name, table] of this.tables) {
      if (table === undefined) continue;
      const where = [name, table.key, lock];
      const [rows] = await this.admin.query<RowDataPacket[]>(
        'SELECT 1 FROM ?? WHERE ?? = ? FOR UPDATE SKIP LOCKED',
        where,
      );
      isEnded ||= rows.length > 0;
      if (rows.length > 0) await this.admin.query('DELETE FROM ?? WHERE ?? = ?', where);
    }
    await this.admin.commit();
    return isEnded;
  }

  async clear(): Promise<void> {
    this.expiries.clear();
    for (const [name, table] of this.tables)
      if (table !== undefined) await this.admin.query('DELETE FROM ??', [name]);
  }

  private readingOf(row: RowDataPacket, lock: string, { owner, expiry }: Table): LockReading {
    const values = expiry.map((column) => String(row[column])).join();
    const before = this.expiries.get(lock);
    this.expiries.set(lock, values);
    return {
      lock,
      content: owner.map((column) => String(row[column])).join(),
      ttlMs: expiry.some((column) => row[column] !== null) ? 0 : -1, // 0: the lease of the request
      renewed: before !== undefined && before !== values,
    };
  }

  /** Undefined: the table does not exist, or has no primary key. */
  private async columnsOf(name: string): Promise<Table | undefined> {
    const read = this.tables.get(name);
    if (read !== undefined) return read;
    const [rows] = await this.admin.query<RowDataPacket[]>(READ_COLUMNS, [name]);
    const columns = rows as { name: string; key: string; isText: number }[];
    const key = columns.find((column) => column.key === 'PRI')?.name;
    if (key === undefined) return undefined;
    const others = columns.filter((column) => column.name !== key);
    const table = {
      key,
      owner: others.filter(({ isText }) => isText === 1).map((column) => column.name),
      expiry: others.filter(({ isText }) => isText === 0).map((column) => column.name),
    };
    this.tables.set(name, table);
    return table;
  }
}
