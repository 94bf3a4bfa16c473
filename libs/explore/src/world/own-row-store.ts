import { codeOf, type StepInfo } from '#lab/step';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import type { LockReading, LockStore } from './lock-stores';

/** The columns of a table that a lock has created. */
interface Table {
  readonly key: string;
  /** The owner: columns of text, and those of numbers whose name says so. */
  readonly owner: readonly string[];
  /** Columns that say whether the lock is held. */
  readonly flags: readonly string[];
  /** Columns of numbers and times: the expiry may be one of them. */
  readonly others: readonly string[];
}

/** A column of the type of a time, or a number of seconds or milliseconds since 1970. */
const isTime = (value: unknown): boolean => value instanceof Date || Number(value) >= 1_000_000_000;

/** A time in the past, in the type of this value. */
const pastOf = (value: unknown): Date | number => (value instanceof Date ? new Date('2000-01-01') : 1);

const WRITES = /^(INSERT|REPLACE|UPDATE|DELETE|CREATE)$/;
/** A statement that changes or locks a row which stays: the table has a row for each lock, also while it is free. */
const KEEPS_ROW = /^UPDATE\b|\bON DUPLICATE KEY UPDATE\b|\bFOR (UPDATE|SHARE)\b|\bLOCK IN SHARE MODE\b/i;
const TABLE_OF = /\b(?:INTO|UPDATE|FROM|TABLE(?: IF NOT EXISTS)?) `?(\w+)`?/i;

/** Names of columns that contain an owner, also as a number, and of those that are 0 or 1. */
const OWNER_NAME = /owner|holder|locked_?by|client|worker|session|token/i;
const FLAG_NAME = /lock|held|taken|acquired|busy|in_?use/i;

const READ_COLUMNS = `SELECT COLUMN_NAME AS name, COLUMN_KEY AS \`key\`, CHARACTER_MAXIMUM_LENGTH IS NOT NULL AS isText,
    DATA_TYPE IN ('tinyint', 'bit') AS isSmall
  FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION`;

/**
 * Rows of tables that are not the lab's, whose primary or unique key contains the name of a resource: locks of a library that has a
 * table of its own. What their columns mean is not known: text, and a number in a column that is called owner or the like, is taken
 * for the owner, and a row with a time in it for one that ends after the lease of the request. At its end its times are set to the
 * past: the row stays, and its code decides what that means.
 *
 * In a table whose rows are changed or locked, a row is free when its flag is 0; without a flag, when it has no owner, and either no
 * time or an owner before. In other tables the row is the lock itself.
 */
export class OwnRowStore implements LockStore {
  readonly name = 'table';
  readonly pipelined = false;
  private readonly tables = new Map<string, Table | undefined>();
  /** The numbers and times of each lock when they were last read. */
  private readonly values = new Map<string, string>();
  /** The same of locks that have ended, as long as their rows are not written again. */
  private readonly ended = new Map<string, string>();
  /** The columns of each lock in which a time has been read. */
  private readonly times = new Map<string, ReadonlySet<string>>();
  /** Tables whose rows stay when the lock is released: known after the request that runs alone before the first schedule. */
  private readonly withFreeRows = new Set<string>();
  /** Tables in which a row has had an owner. */
  private readonly owned = new Set<string>();

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
    if (kind !== 'sql') return false;
    const table = TABLE_OF.exec(text)?.[1];
    if (table === undefined || this.known.has(table)) return false;
    if (KEEPS_ROW.test(text)) this.withFreeRows.add(table);
    if (!WRITES.test(verb)) return false;
    if (!this.tables.has(table)) this.tables.set(table, undefined);
    return true;
  }

  async read(): Promise<readonly LockReading[]> {
    const found: LockReading[] = [];
    for (const name of this.tables.keys()) {
      const table = await this.columnsOf(name);
      if (table === undefined) continue;
      for (const row of await this.rowsOf(name)) {
        const lock = String(row[table.key]);
        const isEnded = this.ended.get(lock) === valuesOf(row, table);
        if (lock.includes('lock:') && !isEnded && !this.isFree(name, row, lock, table))
          found.push(this.readingOf(row, lock, table));
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
        'SELECT * FROM ?? WHERE ?? = ? FOR UPDATE SKIP LOCKED',
        where,
      );
      for (const row of rows) {
        isEnded = true;
        const past = Object.fromEntries(timesIn(row, table).map((time) => [time, pastOf(row[time])]));
        await this.admin.query('UPDATE ?? SET ? WHERE ?? = ?', [name, past, table.key, lock]);
        this.ended.set(lock, valuesOf({ ...row, ...past }, table));
      }
    }
    await this.admin.commit();
    return isEnded;
  }

  async clear(): Promise<void> {
    this.values.clear();
    this.times.clear();
    this.ended.clear();
    for (const [name, table] of this.tables)
      if (table !== undefined) await this.unlessDropped(name, this.admin.query('DELETE FROM ??', [name]));
  }

  private async rowsOf(table: string): Promise<readonly RowDataPacket[]> {
    const read = this.admin.query<RowDataPacket[]>('SELECT * FROM ??', [table]);
    return (await this.unlessDropped(table, read))?.[0] ?? [];
  }

  /** Its code may have dropped the table, and may create another one with its name. Then undefined. */
  private async unlessDropped<T>(table: string, sent: Promise<T>): Promise<T | undefined> {
    try {
      return await sent;
    } catch (error) {
      if (codeOf(error) !== 'ER_NO_SUCH_TABLE') throw error;
      this.tables.set(table, undefined);
      return undefined;
    }
  }

  private isFree(name: string, row: RowDataPacket, lock: string, table: Table): boolean {
    const times = timesIn(row, table);
    const everTimes = new Set([...(this.times.get(lock) ?? []), ...times]);
    this.times.set(lock, everTimes);
    if ([...everTimes].some((column) => Number(row[column] ?? NaN) === 0)) return true; // 1970
    const hasOwner = table.owner.some((column) => isSet(row[column]));
    if (hasOwner) this.owned.add(name);
    if (!this.withFreeRows.has(name)) return false;
    if (table.flags.length > 0) return !table.flags.some((column) => isSet(row[column]));
    return !hasOwner && (times.length === 0 || this.owned.has(name));
  }

  private readingOf(row: RowDataPacket, lock: string, table: Table): LockReading {
    const values = valuesOf(row, table);
    const before = this.values.get(lock);
    this.values.set(lock, values);
    return {
      lock,
      content: table.owner.map((column) => String(row[column])).join(),
      ttlMs: timesIn(row, table).length > 0 ? 0 : -1, // 0: the lease of the request
      renewed: before !== undefined && before !== values,
    };
  }

  /** Undefined: the table does not exist, or has no key. */
  private async columnsOf(name: string): Promise<Table | undefined> {
    const read = this.tables.get(name);
    if (read !== undefined) return read;
    const [rows] = await this.admin.query<RowDataPacket[]>(READ_COLUMNS, [name]);
    const columns = rows as { name: string; key: string; isText: number; isSmall: number }[];
    const keys = ['PRI', 'UNI'].flatMap((kind) => columns.filter((column) => column.key === kind));
    const key = (keys.find(({ isText }) => isText === 1) ?? keys[0])?.name;
    if (key === undefined) return undefined;
    const besides = columns.filter((column) => column.name !== key);
    const isOwner = ({ name: column, isText, isSmall }: (typeof columns)[number]): boolean =>
      isText === 1 || (isSmall === 0 && OWNER_NAME.test(column));
    const namesOf = (some: typeof columns): readonly string[] => some.map((column) => column.name);
    const table = {
      key,
      owner: namesOf(besides.filter(isOwner)),
      flags: namesOf(besides.filter(({ name: column, isSmall }) => isSmall === 1 && FLAG_NAME.test(column))),
      others: namesOf(besides.filter((column) => !isOwner(column))),
    };
    this.tables.set(name, table);
    return table;
  }
}

/** Neither NULL, nor an empty text, nor 0; a BIT is a buffer. */
const isSet = (value: unknown): boolean =>
  Buffer.isBuffer(value) ? value.some((byte) => byte !== 0) : Boolean(value) && value !== '0';

/** The columns in which the row has a time. */
const timesIn = (row: RowDataPacket, { others }: Table): readonly string[] =>
  others.filter((column) => isTime(row[column]));

const valuesOf = (row: Readonly<Record<string, unknown>>, { others }: Table): string =>
  others.map((column) => String(row[column])).join();
