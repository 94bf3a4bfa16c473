import { QueryFailedError, type DataSource } from 'typeorm';

/** A lock that is a row: its primary key lets one in. */
export interface LockRow {
  readonly name: string;
  readonly owner: string;
}

/** Locks as rows of the table `balance_lock`. Nothing but a DELETE ends one. */
export class LockRows {
  constructor(private readonly dataSource: Pick<DataSource, 'query'>) {}

  /** True when the row is ours now, false when there is one. */
  async insert(name: string, owner: string): Promise<boolean> {
    try {
      const { affectedRows } = await this.dataSource.query<{ affectedRows: number }>(
        'INSERT IGNORE INTO balance_lock (name, owner) VALUES (?, ?)',
        [name, owner],
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

  /** The locks of a balance, whoever holds them. */
  ofBalance(balance: string): Promise<LockRow[]> {
    return this.dataSource.query<LockRow[]>('SELECT name, owner FROM balance_lock WHERE name LIKE ?', [
      `lock:{${balance.replaceAll('_', '\\_')}}:%`,
    ]);
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
