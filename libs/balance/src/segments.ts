import type { DataSource } from 'typeorm';
import { UnknownBalance, type Change, type Movement } from './change';
import { recordMovement } from './record-movement';

/** A part of a balance that has a row of its own. */
export interface Segment {
  /** From 0. */
  readonly segment: number;
  readonly amount: number;
}

/** What a request has computed for one segment. */
export interface SegmentWrite {
  readonly segment: number;
  readonly before: number;
  readonly after: number;
}

/** All of a balance, in SQL: what is in its row and what is in its segments, of one moment. */
export const WHOLE_AMOUNT = `CAST(balance.amount + COALESCE(
  (SELECT SUM(part.amount) FROM balance_segment part WHERE part.balance = balance.id), 0) AS SIGNED)`;

/** `amount` in `count` parts that differ by one at most, the greater ones first. */
export const shares = (amount: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => Math.floor(amount / count) + (i < amount % count ? 1 : 0));

/** Balances that are split over several rows of the table `balance_segment`, so that buyers need not all meet at one. */
export class Segments {
  constructor(private readonly dataSource: DataSource) {}

  /** All segments as committed, of one moment, locking nothing; none: the balance is not split. */
  read(balance: string): Promise<Segment[]> {
    return this.dataSource.query<Segment[]>(
      'SELECT segment, amount FROM balance_segment WHERE balance = ? ORDER BY segment',
      [balance],
    );
  }

  /**
   * Moves all that is in the balance's row into `most` segments, or fewer: none is empty, unless `evenEmpty` ones are
   * wanted, for units that come. Of several who want to, the first does; what is split already stays as it is.
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

  /** Sets segments to what the request computed, whatever they are now; a movement for each, all in one transaction. */
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
