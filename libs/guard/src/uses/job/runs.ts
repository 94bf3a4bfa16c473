import type { Action } from '../../contract';
import type { Sql } from '../../shared/sql';

/** The job's own work: a row in the database. */
export const runJob = (sql: Sql, { key: period, request }: Action): Promise<unknown> =>
  sql.query('INSERT INTO job_run (period, request) VALUES (?, ?)', [period, request]);
