import type { EntityManager } from 'typeorm';
import {
  Conflict,
  FencedOff,
  SoldOut,
  StockIsSplit,
  UnknownBalance,
  type Change,
  type Fence,
  type Movement,
} from './change';
import { recordMovement } from './record-movement';

/** The server's reply to a statement that writes. */
export interface Written {
  readonly affectedRows: number;
  readonly insertId: number;
}

/** Statements on balances inside one transaction. */
export class BalanceTransaction {
  constructor(private readonly sql: Pick<EntityManager, 'query'>) {}

  /** The value; its row is locked until the transaction ends: other transactions wait to lock or write it. */
  readForUpdate(balance: string): Promise<number> {
    return this.amount('SELECT amount, segments FROM balance WHERE id = ? FOR UPDATE', balance);
  }

  /** Locks the row until the transaction ends, without reading the value. */
  async lockRow(balance: string): Promise<void> {
    const rows = await this.sql.query<unknown[]>('SELECT id FROM balance WHERE id = ? FOR UPDATE', [balance]);
    if (rows.length === 0) throw new UnknownBalance(balance);
  }

  /** The value and its version number, read without a lock. */
  async readVersion(balance: string): Promise<{ amount: number; version: number }> {
    const [row] = await this.sql.query<(Row & { version: number })[]>(
      'SELECT amount, version, segments FROM balance WHERE id = ?',
      [balance],
    );
    return unsplit(balance, row);
  }

  /** The value in this transaction's snapshot, read without a lock. */
  read(balance: string): Promise<number> {
    return this.amount('SELECT amount, segments FROM balance WHERE id = ?', balance);
  }

  /** Sets the value to `after`, whatever it is now. Throws `StockIsSplit` when it has been split. */
  async write(change: Change, before: number, after: number): Promise<Movement> {
    const { affectedRows } = await this.sql.query<Written>(
      'UPDATE balance SET amount = ? WHERE id = ? AND segments = 0',
      [after, change.balance],
    );
    if (affectedRows === 0) throw new StockIsSplit(change.balance); // after it was read
    return recordMovement(this.sql, change, before, after);
  }

  /** Sets several values to `after`, whatever they are now. */
  async writeAll(sales: readonly Movement[]): Promise<readonly Movement[]> {
    const written: Movement[] = [];
    for (const { before, after, ...change } of sales) written.push(await this.write(change, before, after));
    return written;
  }

  /** Changes the value in one statement if enough is left; throws `SoldOut` or `StockIsSplit` otherwise. */
  async writeIfEnough(change: Change): Promise<Movement> {
    const { balance, delta } = change;
    const written = await this.sql.query<Written>(
      'UPDATE balance SET amount = LAST_INSERT_ID(amount + ?) WHERE id = ? AND amount + ? >= 0 AND segments = 0',
      [delta, balance, delta],
    );
    if (written.affectedRows === 0) throw new SoldOut(change, await this.read(balance));
    const after = written.insertId; // LAST_INSERT_ID(x) returns the new value with the reply
    return recordMovement(this.sql, change, after - delta, after);
  }

  /** Sets the value if the row still has `version`; throws `Conflict` otherwise. */
  async writeVersion(change: Change, version: number, before: number, after: number): Promise<Movement> {
    const { affectedRows } = await this.sql.query<Written>(
      'UPDATE balance SET amount = ?, version = version + 1 WHERE id = ? AND version = ? AND segments = 0',
      [after, change.balance, version],
    );
    if (affectedRows === 0) throw new Conflict(change);
    return recordMovement(this.sql, change, before, after);
  }

  /** Sets the value and our token if the row has only seen older tokens; throws `FencedOff` otherwise. */
  async writeFenced(
    change: Change,
    { token, owner }: Fence,
    before: number,
    after: number,
  ): Promise<Movement> {
    const { affectedRows } = await this.sql.query<Written>(
      'UPDATE balance SET amount = ?, fence = ?, holder = ? WHERE id = ? AND fence < ? AND segments = 0',
      [after, token, owner, change.balance, token],
    );
    if (affectedRows === 0) throw new FencedOff(change, token);
    return recordMovement(this.sql, change, before, after);
  }

  /** Sets the value if the row's last token is still ours; throws `FencedOff` otherwise. */
  async writeRegistered(
    change: Change,
    { token, owner }: Fence,
    before: number,
    after: number,
  ): Promise<Movement> {
    const { affectedRows } = await this.sql.query<Written>(
      'UPDATE balance SET amount = ? WHERE id = ? AND fence = ? AND holder = ? AND segments = 0',
      [after, change.balance, token, owner],
    );
    if (affectedRows === 0) throw new FencedOff(change, token);
    return recordMovement(this.sql, change, before, after);
  }

  private async amount(sql: string, balance: string): Promise<number> {
    const [row] = await this.sql.query<Row[]>(sql, [balance]);
    return unsplit(balance, row).amount;
  }
}

interface Row {
  readonly amount: number;
  /** Number of segments; 0: the amount is in this row. */
  readonly segments: number;
}

/** Returns the row. Throws `UnknownBalance` without one, `StockIsSplit` when the amount is in segments. */
function unsplit<R extends Row>(balance: string, row: R | undefined): R {
  if (row === undefined) throw new UnknownBalance(balance);
  if (row.segments > 0) throw new StockIsSplit(balance);
  return row;
}
