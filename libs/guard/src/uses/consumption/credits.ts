import type { Action } from '../../contract';
import type { Sql } from '../../shared/sql';
import type { Received } from './stream';

/** Credits the account that the message names: a row per credit. */
export const credit = (sql: Sql, { message }: Received, { request }: Action): Promise<unknown> =>
  sql.query('INSERT INTO credit (message, request) VALUES (?, ?)', [message, request]);
