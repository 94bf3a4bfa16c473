import { QueryFailedError, type EntityManager } from 'typeorm';

/** Runs statements: the data source, or a transaction of it. */
export type Sql = Pick<EntityManager, 'query'>;

const ER_DUP_ENTRY = 1062;

/** True when the row was inserted, false when a row with its unique key exists. */
export async function inserted(insert: Promise<unknown>): Promise<boolean> {
  try {
    await insert;
    return true;
  } catch (error) {
    if (error instanceof QueryFailedError && (error.driverError as { errno?: number }).errno === ER_DUP_ENTRY)
      return false;
    throw error;
  }
}
