import type { Action, Done, GuardTools } from '../../contract';
import type { Sql } from '../../shared/sql';

/** The counter of the elections: one for all guards, so that the epochs of any two leaders can be compared. */
export const EPOCHS = 'epoch:{journal}';

/** A later leader has written to the journal. */
export class StaleEpoch extends Error {
  readonly code = 'LOCK.FENCED';

  constructor(epoch: number) {
    super(
      `the journal has seen a later epoch than ${epoch}: another replica leads, and this request wrote nothing`,
    );
    this.name = 'StaleEpoch';
  }
}

/** Writes an entry after the last one, as the leader of this epoch. */
export async function append(
  sql: Sql,
  epoch: number,
  { request }: Action,
  { work }: Pick<GuardTools, 'work'>,
): Promise<Done> {
  const [row] = await sql.query<{ last: number }[]>('SELECT COALESCE(MAX(position), 0) AS last FROM journal');
  await work();
  const position = (row?.last ?? 0) + 1;
  await sql.query('INSERT INTO journal (position, epoch, request) VALUES (?, ?, ?)', [
    position,
    epoch,
    request,
  ]);
  return { outcome: 'done', value: position };
}

/**
 * Writes an entry as the leader of this epoch, in the transaction in which the epoch is registered. Throws `StaleEpoch` when a
 * later leader has written.
 */
export const appendFenced = (epoch: number, entry: Action, tools: GuardTools): Promise<Done> =>
  tools.sql.transaction(async (tx) => {
    await register(tx, epoch);
    return append(tx, epoch, entry, tools);
  });

/** Registers the epoch in the journal's own row, which refuses older ones. */
async function register(sql: Sql, epoch: number): Promise<void> {
  const { affectedRows } = await sql.query<{ affectedRows: number }>(
    "UPDATE journal_epoch SET epoch = ? WHERE name = 'journal' AND epoch <= ?",
    [epoch, epoch],
  );
  if (affectedRows === 0) throw new StaleEpoch(epoch);
}

/** Begins the next epoch in the database, and returns it. */
export async function beginEpoch(sql: Sql): Promise<number> {
  const { insertId } = await sql.query<{ insertId: number }>(
    "UPDATE journal_epoch SET epoch = LAST_INSERT_ID(epoch + 1) WHERE name = 'journal'",
  );
  return insertId;
}
