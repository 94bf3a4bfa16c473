import { QueryFailedError, type EntityManager } from 'typeorm';
import { ChangeCancelled, type Change, type Movement } from './change';

/** The part of a change that a movement records: one for each of its segments. */
export interface Part {
  readonly number: number;
  /** The segment that `before` and `after` refer to. */
  readonly segment: number;
}

/** Adds the movement, in the transaction of its write. Throws `ChangeCancelled`; the caller must then roll back. */
export async function recordMovement(
  sql: Pick<EntityManager, 'query'>,
  change: Change,
  before: number,
  after: number,
  part?: Part,
): Promise<Movement> {
  const { balance, delta, request, replica, strategy, dedupKey, operation } = change;
  const row = {
    balance,
    segment: part?.segment ?? null,
    delta,
    value_before: before,
    value_after: after,
    request,
    replica,
    strategy,
    ...(dedupKey !== undefined && { once: dedupKey, part: part?.number ?? 0 }),
    ...(operation !== undefined && { operation }),
  };
  const columns = Object.keys(row).join(', ');
  const values = Object.values(row);
  await sql
    .query(`INSERT INTO movement (${columns}) VALUES (${values.map(() => '?').join(', ')})`, values)
    .catch((error: unknown) => {
      throw isDuplicate(error) ? new ChangeCancelled(change) : error;
    });
  return { ...change, before, after };
}

/** True when a unique key rejected the row. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof QueryFailedError && (error.driverError as { errno?: number }).errno === 1062;
