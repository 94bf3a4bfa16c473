import type { DataSource } from 'typeorm';
import { Decisions } from './decisions';
import { LockRows } from './lock-rows';
import { underNamedLock, type NamedSession } from './named-lock';

/** What one database offers to protect balances, beside the conditions and row locks of the balances' own statements. */
export class SqlLocks {
  readonly rows: LockRows;
  readonly decisions: Decisions;

  constructor(private readonly dataSource: DataSource) {
    this.rows = new LockRows(dataSource);
    this.decisions = new Decisions(dataSource);
  }

  /** Runs `section` under GET_LOCK(name), on the connection that holds it; undefined when the lock was not obtained. */
  underNamedLock<T>(
    name: string,
    waitMs: number,
    section: (session: NamedSession) => Promise<T>,
  ): Promise<T | undefined> {
    return underNamedLock(this.dataSource, name, waitMs, section);
  }

  /** Deletes the lock rows and the decisions of a balance. */
  async clear(balance: string): Promise<void> {
    await this.rows.deleteAll(balance);
    await this.decisions.deleteAll(balance);
  }
}
