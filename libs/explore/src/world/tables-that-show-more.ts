import type { Step } from '#lab/step';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { onlyReads } from './sql-statements';

const READ_SEQUENCES = `SELECT TABLE_NAME AS name FROM information_schema.TABLES
  WHERE TABLE_SCHEMA = ? AND TABLE_TYPE = 'SEQUENCE'`;
const READ_VIEWS = `SELECT TABLE_NAME AS name, VIEW_DEFINITION AS text FROM information_schema.VIEWS WHERE TABLE_SCHEMA = ?`;

/** A new view or sequence, whatever it reads. */
const CREATES =
  /^CREATE\b[^(]*?\b(?:VIEW|SEQUENCE) (?:IF NOT EXISTS )?(?:`?[\w$]+`?\.)?`?([\w$\u0080-\uffff]+)/i;

/**
 * The tables of a schema whose plain SELECT does more than read committed rows: a sequence shows the numbers that open transactions
 * have taken, a view may call a function that writes or use such a table. Those of `setUp` and of the first `prepare` are read from the
 * database; of the views and sequences that actors create, each counts as one.
 */
export class TablesThatShowMore {
  private readonly names = new Set<string>();
  /** A test for statements that name one; undefined: there is none. */
  private test: RegExp | undefined;

  constructor(private readonly admin: Connection) {}

  /** Another schema is used. */
  forget(): void {
    this.names.clear();
    this.test = undefined;
  }

  async read(schema: string): Promise<void> {
    const [sequences] = await this.admin.query<RowDataPacket[]>(READ_SEQUENCES, [schema]);
    const [rows] = await this.admin.query<RowDataPacket[]>(READ_VIEWS, [schema]);
    this.add(...sequences.map(({ name }) => String(name)));
    let views = rows as { name: string; text: string }[];
    for (;;) {
      const more = views.filter(({ text }) => text === '' || !onlyReads({ text }) || this.areIn({ text })); // '': not allowed to see it
      if (more.length === 0) return;
      this.add(...more.map(({ name }) => name));
      views = views.filter((view) => !more.includes(view));
    }
  }

  /** A statement of an actor is sent. */
  note({ text }: Pick<Step, 'text'>): void {
    const [, name] = CREATES.exec(text) ?? [];
    if (name !== undefined) this.add(name);
  }

  /** The statement names such a table. */
  areIn({ text }: Pick<Step, 'text'>): boolean {
    return this.test?.test(text) === true;
  }

  private add(...names: readonly string[]): void {
    for (const name of names) this.names.add(name);
    if (this.names.size > 0) this.test = namesOneOf([...this.names]);
  }
}

const namesOneOf = (names: readonly string[]): RegExp =>
  new RegExp(
    `(?<![\\w$])(?:${names.map((name) => name.replace(/[^\w]/g, '\\$&')).join('|')})(?![\\w$])`,
    'i',
  );
