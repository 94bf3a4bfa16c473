import type { Sql } from '../../shared/sql';

/** Numbers of one segment. */
export const SEGMENT = 10;

/** The last number that was given to any process. */
export async function lastGiven(sql: Sql): Promise<number> {
  const rows = await sql.query<{ last: number }[]>("SELECT last FROM number_segment WHERE name = 'order'");
  return rows[0]?.last ?? 0;
}

/** As `lastGiven`, and locks the row until the transaction ends. */
export async function lockLastGiven(tx: Sql): Promise<number> {
  const rows = await tx.query<{ last: number }[]>(
    "SELECT last FROM number_segment WHERE name = 'order' FOR UPDATE",
  );
  return rows[0]?.last ?? 0;
}

export const setLastGiven = (sql: Sql, last: number): Promise<unknown> =>
  sql.query("UPDATE number_segment SET last = ? WHERE name = 'order'", [last]);

/** Takes the next segment in one statement, and returns its last number. */
export async function takeSegment(sql: Sql): Promise<number> {
  const { insertId } = await sql.query<{ insertId: number }>(
    "UPDATE number_segment SET last = LAST_INSERT_ID(last + ?) WHERE name = 'order'",
    [SEGMENT],
  );
  if (insertId === 0) throw new Error('the table number_segment has no row "order"');
  return insertId;
}

/** The numbers that one process has in memory. */
export class OwnNumbers {
  private next = 1;
  private last = 0;

  /** How many are left. */
  left(): number {
    return this.last - this.next + 1;
  }

  /** Adds the segment that ends with this number. */
  add(last: number): void {
    this.next = last - SEGMENT + 1;
    this.last = last;
  }

  take(): number {
    return this.next++;
  }
}
