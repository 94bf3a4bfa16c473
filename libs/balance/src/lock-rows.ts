import type { DataSource } from 'typeorm';

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
    const { affectedRows } = await this.dataSource.query<{ affectedRows: number }>(
      'INSERT IGNORE INTO balance_lock (name, owner) VALUES (?, ?)',
      [name, owner],
    );
    return affectedRows === 1;
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
