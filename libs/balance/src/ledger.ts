import type { DataSource } from 'typeorm';
import { UnknownBalance, type Movement } from './change';
import { WHOLE_AMOUNT, type Segment } from './segments';

/** The current state of a balance, its segments included. */
export interface BalanceRow {
  readonly id: string;
  readonly amount: number;
  /** The amount at the last reset. */
  readonly initial: number;
}

/** A balance and its committed movements, read at one moment. */
export interface BalanceTotals {
  readonly amount: number;
  readonly initial: number;
  /** Units of all movements: taken less added. */
  readonly sold: number;
}

/** A movement as recorded: `id` is the order of the inserts. */
export interface MovementRow extends Movement {
  readonly id: number;
  /** The segment that `before` and `after` refer to; null: the balance's own row. */
  readonly segment: number | null;
  /** UTC, ISO 8601. */
  readonly at: string;
}

/** The current state of a segment. */
export interface SegmentRow extends Segment {
  /** The amount when the balance was split. */
  readonly initial: number;
}

/** Counts the movements of a balance (first parameter) that another request (second parameter) made. */
export const MOVEMENTS_OF_OTHERS =
  'SELECT COUNT(*) AS count FROM movement WHERE balance = ? AND request <> ?';

/** Reads balances and their movements, and resets them. Strategies do not use it. */
export class Ledger {
  constructor(private readonly dataSource: DataSource) {}

  async find(id: string): Promise<BalanceRow> {
    const [row] = await this.dataSource.query<BalanceRow[]>(
      `SELECT id, ${WHOLE_AMOUNT} AS amount, initial FROM balance WHERE id = ?`,
      [id],
    );
    if (row === undefined) throw new UnknownBalance(id);
    return row;
  }

  /** The amount and the sum of the movements in one statement, which reads one snapshot. */
  async totals(id: string): Promise<BalanceTotals> {
    const [row] = await this.dataSource.query<BalanceTotals[]>(
      `SELECT ${WHOLE_AMOUNT} AS amount, initial, CAST(COALESCE(
          (SELECT -SUM(entry.delta) FROM movement entry WHERE entry.balance = balance.id), 0) AS SIGNED) AS sold
         FROM balance WHERE id = ?`,
      [id],
    );
    if (row === undefined) throw new UnknownBalance(id);
    return row;
  }

  /** At most `limit` movements of a balance with ids above `after`, in the order in which they were recorded. */
  async movements(id: string, { after = 0, limit = 1000 } = {}): Promise<MovementRow[]> {
    const rows = await this.dataSource.query<
      (MovementRow & { value_before: number; value_after: number; at: Date })[]
    >(
      `SELECT id, balance, segment, delta, value_before, value_after, request, replica, strategy, at
         FROM movement WHERE balance = ? AND id > ? ORDER BY id LIMIT ?`,
      [id, after, limit],
    );
    return rows.map(({ value_before: before, value_after: after, at, ...row }) => ({
      ...row,
      before,
      after,
      at: at.toISOString(),
    }));
  }

  /** The segments of a balance; empty: it is not split. */
  segments(id: string): Promise<SegmentRow[]> {
    return this.dataSource.query<SegmentRow[]>(
      'SELECT segment, amount, initial FROM balance_segment WHERE balance = ? ORDER BY segment',
      [id],
    );
  }

  /**
   * Sets the balance to `amount` and deletes its movements and segments, in one transaction. Creates the balance if
   * needed. Locks stay: they are kept elsewhere.
   */
  async reset(id: string, amount: number): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      await tx.query('DELETE FROM movement WHERE balance = ?', [id]);
      await tx.query(
        `INSERT INTO balance (id, amount, initial) VALUES (?, ?, ?)
           ON DUPLICATE KEY UPDATE amount = VALUES(amount), initial = VALUES(initial), segments = 0, version = 0, fence = 0, holder = NULL`,
        [id, amount, amount],
      );
      await tx.query('DELETE FROM balance_segment WHERE balance = ?', [id]);
    });
  }
}
