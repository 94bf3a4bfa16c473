import type { EntityManager } from 'typeorm';
import type { Change, Movement } from './change';

/** Adds the movement, in the transaction of its write. `segment`: whose values `before` and `after` are. */
export async function recordMovement(
  sql: Pick<EntityManager, 'query'>,
  change: Change,
  before: number,
  after: number,
  segment: number | null = null,
): Promise<Movement> {
  const { balance, delta, request, replica, strategy } = change;
  await sql.query(
    'INSERT INTO movement (balance, segment, delta, value_before, value_after, request, replica, strategy) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    [balance, segment, delta, before, after, request, replica, strategy],
  );
  return { ...change, before, after };
}
