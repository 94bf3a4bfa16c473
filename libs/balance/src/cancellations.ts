import type { DataSource } from 'typeorm';
import { isDuplicate } from './record-movement';
import type { Movement } from './change';

/** What one change has done, all its parts together. */
export type MadeChange = Pick<Movement, 'balance' | 'delta' | 'before' | 'after' | 'request' | 'replica'>;

/**
 * Changes that were given up for good. A row without a balance takes the place in the unique key `once_only` that the
 * change's movement would need, and the database lets one of the two in: in whatever order they come, however late a replica
 * that hung goes on, a change is made or given up, never both. Neither costs the strategies a statement.
 */
export class Cancellations {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Gives up changes that belong together (`Change.dedupKey` of each; a strategy makes all of them or none), unless they were
   * made: answers what they did; undefined: nothing, and now they never will. May be asked again and again, by several at
   * once. Waits while one of them is being made; then error 1205 is possible, and nothing is decided.
   */
  async cancel(changes: readonly [string, ...string[]]): Promise<readonly MadeChange[] | undefined> {
    try {
      await this.dataSource.query(
        `INSERT INTO movement (balance, delta, value_before, value_after, request, replica, strategy, once)
         VALUES ('', 0, 0, 0, '', '', '', ?)`,
        [changes[0]], // made all or none: without the first one there is none
      );
      return undefined;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
    }
    const made = await this.made(changes);
    return made.length > 0 ? made : undefined;
  }

  /** In the order in which they are named. */
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
