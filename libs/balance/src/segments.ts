import type { DataSource } from 'typeorm';
import { UnknownBalance, type Change, type Movement } from './change';
import { recordMovement } from './record-movement';

/** A part of a balance, with its own row. */
export interface Segment {
  /** From 0. */
  readonly segment: number;
  readonly amount: number;
}

/** The values that a request computed for one segment. */
export interface SegmentWrite {
  readonly segment: number;
  readonly before: number;
  readonly after: number;
}

/** SQL expression for the total of a balance: its row and its segments, read consistently. */
export const WHOLE_AMOUNT = `CAST(balance.amount + COALESCE(
  (SELECT SUM(part.amount) FROM balance_segment part WHERE part.balance = balance.id), 0) AS SIGNED)`;

/** Splits `amount` into `count` parts that differ by at most one, the larger ones first. */
export const shares = (amount: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => Math.floor(amount / count) + (i < amount % count ? 1 : 0));

/** Balances split over several rows of the table `balance_segment`, to reduce contention on one row. */
export class Segments {
  constructor(private readonly dataSource: DataSource) {}

  /** All committed segments, read consistently and without locks; empty: the balance is not split. */
  read(balance: string): Promise<Segment[]> {
    return this.dataSource.query<Segment[]>(
      'SELECT segment, amount FROM balance_segment WHERE balance = ? ORDER BY segment',
      [balance],
    );
  }

  /**
   * Moves the amount of the balance's row into at most `most` segments. Empty segments are created only with `evenEmpty`,
   * for units that are added later. Does nothing when the balance is already split, so that the first of several calls wins.
   */
  async split(balance: string, most: number, { evenEmpty = false } = {}): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      const [row] = await tx.query<{ amount: number; segments: number }[]>(
        'SELECT amount, segments FROM balance WHERE id = ? FOR UPDATE',
        [balance],
      );
      if (row === undefined) throw new UnknownBalance(balance);
      const count = evenEmpty ? most : Math.min(most, row.amount);
      if (row.segments > 0 || count === 0) return;
      const rows = shares(row.amount, count).map((amount, segment) => [balance, segment, amount, amount]);
      await tx.query('INSERT INTO balance_segment (balance, segment, amount, initial) VALUES ?', [rows]);
      await tx.query('UPDATE balance SET segments = ?, amount = 0 WHERE id = ?', [count, balance]);
    });
  }

  /** Sets segments to the computed values, whatever they are now, and records a movement for each, in one transaction. */
  async write(change: Change, writes: readonly SegmentWrite[]): Promise<Movement> {
    await this.dataSource.transaction(async (tx) => {
      for (const [number, { segment, before, after }] of writes.entries()) {
        await tx.query('UPDATE balance_segment SET amount = ? WHERE balance = ? AND segment = ?', [
          after,
          change.balance,
          segment,
        ]);
        const part = { number, segment };
        await recordMovement(tx, { ...change, delta: after - before }, before, after, part);
      }
    });
    const before = writes.reduce((units, write) => units + write.before, 0);
    return { ...change, before, after: before + change.delta };
  }
}
