import { ALREADY_DONE, DONE, type Guard } from '../../contract';
import { isNoted, send } from './notifications';

export const outbox: Guard = {
  name: 'notification/outbox',
  mechanism:
    'Insert a unique row "to be sent", send with an idempotency key, mark the row as sent. No lock: each request that finds the row unsent sends.',
  defect:
    'Correct, and the price is named: a row per message, a receiver that remembers keys, and a message that may be sent several times and is delivered once. "Exactly once" is at least once plus a receiver that refuses repetitions.',
  source:
    'Transactional outbox (Richardson, microservices.io); draft-ietf-httpapi-idempotency-key-header-07.',
  next: { why: 'nothing: without a receiver that knows the key, choose between twice and never.' },
  options: ['workMs'],
  needs: ['gateway'],
  expected: {},

  async apply(order, tools) {
    const { sql, work } = tools;
    if (await isNoted(sql, order)) return ALREADY_DONE;
    await sql.query('INSERT IGNORE INTO notification (order_id, request, sent) VALUES (?, ?, 0)', [
      order.key,
      order.request,
    ]);
    await work();
    await send(order, tools, `notification-${order.key}`);
    await sql.query('UPDATE notification SET sent = 1 WHERE order_id = ?', [order.key]);
    return DONE;
  },
};
