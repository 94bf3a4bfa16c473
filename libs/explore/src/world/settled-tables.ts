import type { Step } from '#lab/step';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { locksTables, standsForSeveral } from './sql-statements';

/** Not `… AS SELECT`, and not a table of another schema. */
const CREATE_IF_MISSING = /^CREATE TABLE IF NOT EXISTS `?(\w+)`?(?!\s*\.)(?!.*\bSELECT\b)[^;]*;?\s*$/is;

type Sent = Pick<Step, 'kind' | 'verb' | 'text'>;

/**
 * The tables that there are when the first schedule of a lock begins. A lock without a setup creates its table, if it does not exist,
 * in each request: then such a statement changes nothing, and waits only for LOCK TABLES.
 */
export class SettledTables {
  private names: ReadonlySet<string> = new Set();
  /** A statement of this schedule may have removed or locked a table. */
  private areChanged = false;

  constructor(private readonly admin: Connection) {}

  /** The tables that there are now stay, as long as no statement changes them. */
  async settle(): Promise<void> {
    this.names = await this.namesNow();
    this.areChanged = false;
  }

  /** The statements that follow use another schema. */
  forget(): void {
    this.names = new Set();
  }

  /** A new schedule begins. */
  async begin(): Promise<void> {
    if (!this.areChanged) return;
    const now = await this.namesNow();
    if (![...this.names].every((name) => now.has(name))) this.forget();
    this.areChanged = false;
  }

  /** A statement is sent. */
  note(step: Sent): void {
    this.areChanged ||= this.mayChange(step);
  }

  /** The statement creates a table if it does not exist, and it exists. */
  hasTableOf({ text }: Pick<Step, 'text'>): boolean {
    const [, name] = CREATE_IF_MISSING.exec(text) ?? [];
    return name !== undefined && !this.areChanged && this.names.has(name);
  }

  /** The statement may create, change, lock or remove a table. */
  mayChange(step: Sent): boolean {
    if (step.kind !== 'sql') return false;
    const isKnown = locksTables(step) || /^(USE|EXECUTE|BEGIN NOT)\b/i.test(step.text);
    return (isKnown && !this.hasTableOf(step)) || standsForSeveral(step);
  }

  private async namesNow(): Promise<ReadonlySet<string>> {
    const [rows] = await this.admin.query<RowDataPacket[]>('SHOW TABLES');
    return new Set(rows.flatMap((row) => Object.values(row) as string[]));
  }
}
