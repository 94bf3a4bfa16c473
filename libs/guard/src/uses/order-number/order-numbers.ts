import type { Action, Done } from '../../contract';
import type { Sql } from '../../shared/sql';

/** Gives the number to an order. */
export async function give(sql: Sql, number: number, { request }: Action): Promise<Done> {
  await sql.query('INSERT INTO order_number (number, request) VALUES (?, ?)', [number, request]);
  return { outcome: 'done', value: number };
}
