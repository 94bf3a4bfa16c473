import type { DataSource } from 'typeorm';
import { isDuplicate } from './record-movement';
import type { Movement } from './change';

/** The total effect of one change, all its parts together. */
export type MadeChange = Pick<Movement, 'balance' | 'delta' | 'before' | 'after' | 'request' | 'replica'>;

/**
 * Tombstones of cancelled changes. A row without a balance occupies the entry in the unique key `once_only` that the
 * change's movement would need, so that the database admits only one of the two: a change is either made or cancelled, never
 * both, also when a paused replica resumes late. The strategies need no extra statement for this.
 */
export class Cancellations {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Cancels changes that belong together (`Change.dedupKey` of each; a strategy makes all of them or none), unless they were
   * made. Returns their effects if they were made; undefined: they were not, and never will be. May be repeated, also
   * concurrently. Waits while one of them is being made; that can fail with error 1205, and then nothing is decided.
   */
  async cancel(changes: readonly [string, ...string[]]): Promise<readonly MadeChange[] | undefined> {
    try {
      await this.dataSource.query(
        `INSERT INTO movement (balance, delta, value_before, value_after, request, replica, strategy, once)
         VALUES ('', 0, 0, 0, '', '', '', ?)`,
        [changes[0]], // all are made or none: without the first there are no others
      );
      return undefined;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
    }
    const made = await this.made(changes);
    return made.length > 0 ? made : undefined;
  }

  /** The changes that were made, in the order of `changes`. */
  private async made(changes: readonly string[]): Promise<MadeChange[]> {
    const parts = await this.dataSource.query<
      (MadeChange & { dedupKey: string; valueBefore: number; valueAfter: number })[]
    >(
      `SELECT once AS dedupKey, balance, delta, value_before AS valueBefore, value_after AS valueAfter, request, replica
         FROM movement WHERE once IN (?) AND balance <> '' ORDER BY part`,
      [changes],
    );
    return changes.flatMap((dedupKey) => {
      const own = parts.filter((part) => part.dedupKey === dedupKey);
      const [first] = own;
      if (first === undefined) return [];
      const sum = (value: (part: (typeof own)[number]) => number): number =>
        own.reduce((total, part) => total + value(part), 0);
      return [
        {
          balance: first.balance,
          delta: sum(({ delta }) => delta),
          before: sum(({ valueBefore }) => valueBefore),
          after: sum(({ valueAfter }) => valueAfter),
          request: first.request,
          replica: first.replica,
        },
      ];
    });
  }
}
