import type { Action, GuardTools } from '../../contract';
import type { Sql } from '../../shared/sql';

/** True when the order's message was sent, as the shop noted it. */
export async function isNoted(sql: Sql, { key: order }: Action): Promise<boolean> {
  const rows = await sql.query<object[]>('SELECT id FROM notification WHERE order_id = ? AND sent = 1', [
    order,
  ]);
  return rows.length > 0;
}

/** Notes that the order's message was sent. */
export const note = (sql: Sql, { key: order, request }: Action): Promise<unknown> =>
  sql.query('INSERT IGNORE INTO notification (order_id, request, sent) VALUES (?, ?, 1)', [order, request]);

/** Sends the order's message. The gateway delivers a message with a known `key` only once. */
export const send = ({ key: order, request }: Action, { servers }: GuardTools, key?: string): Promise<void> =>
  servers.gateway.send({
    to: `buyer of order ${order}`,
    text: `order ${order} is on its way`,
    request,
    ...(key !== undefined && { key }),
  });
