import type { Action } from '../../contract';
import type { Sql } from '../../shared/sql';

/** Stores the submitted form. */
export const store = (sql: Sql, { key: form, request }: Action): Promise<unknown> =>
  sql.query('INSERT INTO submission (form, request) VALUES (?, ?)', [form, request]);
