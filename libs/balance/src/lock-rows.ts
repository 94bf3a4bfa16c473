import { QueryFailedError, type DataSource } from 'typeorm';
import type { Written } from './transaction';

/** A lock that is a row: its primary key lets one in. */
export interface LockRow {
  readonly name: string;
  /** A name that its holder has made for itself: a DELETE by it can hit no other holder's row. */
  readonly owner: string;
  /** Milliseconds until anybody may delete it, below 0 when that is over; null: never. */
  readonly ttlMs: number | null;
}

/** Locks as rows of the table `balance_lock`. Nothing but a DELETE ends one: a row that has expired waits for its sweeper. */
export class LockRows {
  constructor(private readonly dataSource: Pick<DataSource, 'query'>) {}

  /** True when the row is ours now, false when there is one. It is ours for `leaseMs`, or for ever. */
  async insert(name: string, owner: string, leaseMs?: number): Promise<boolean> {
    try {
      const { affectedRows } =
        leaseMs === undefined
          ? await this.dataSource.query<Written>(
              'INSERT IGNORE INTO balance_lock (name, owner) VALUES (?, ?)',
              [name, owner],
            )
          : await this.dataSource.query<Written>(
              'INSERT IGNORE INTO balance_lock (name, owner, expires_at) VALUES (?, ?, NOW(6) + INTERVAL ? MICROSECOND)',
              [name, owner, 1000 * leaseMs],
            );
      return affectedRows === 1;
    } catch (error) {
      if (isDeadlock(error)) return false;
      throw error;
    }
  }

  /** Deletes the row if it is ours. */
  async delete(name: string, owner: string): Promise<void> {
    await this.dataSource.query('DELETE FROM balance_lock WHERE name = ? AND owner = ?', [name, owner]);
  }

  /** Deletes the row if it has expired. One statement: whoever looks first and deletes then can hit the next owner's row. */
  async sweep(name: string): Promise<boolean> {
    const { affectedRows } = await this.dataSource.query<Written>(
      'DELETE FROM balance_lock WHERE name = ? AND expires_at <= NOW(6)',
      [name],
    );
    return affectedRows === 1;
  }

  /** The locks of a balance, whoever holds them. */
  ofBalance(balance: string): Promise<LockRow[]> {
    return this.dataSource.query<LockRow[]>(
      `SELECT name, owner, TIMESTAMPDIFF(MICROSECOND, NOW(6), expires_at) DIV 1000 AS ttlMs
         FROM balance_lock WHERE name LIKE ?`,
      [`lock:{${balance.replaceAll('_', '\\_')}}:%`],
    );
  }

  async deleteAll(balance: string): Promise<void> {
    await this.dataSource.query('DELETE FROM balance_lock WHERE name LIKE ?', [
      `lock:{${balance.replaceAll('_', '\\_')}}:%`,
    ]);
  }
}

/**
 * Those who insert behind one DELETE all get a shared lock on the deleted key, and dead-lock when they want it alone: the
 * database lets one in and gives the others up.
 */
const isDeadlock = (error: unknown): boolean =>
  error instanceof QueryFailedError && (error.driverError as { errno?: number }).errno === 1213;
