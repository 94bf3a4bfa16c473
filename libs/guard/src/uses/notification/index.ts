import type { Use } from '../../contract';
import { lock } from './lock';
import { noteFirst } from './note-first';
import { outbox } from './outbox';
import { unprotected } from './unprotected';

export const notification: Use = {
  name: 'notification',
  action: 'Send one text message for an order.',
  endpoint: 'POST /orders/{key}/notifications',
  rules: { effect: 'message for order', second: 'duplicate', isPromised: true },
  tables: ['notification'],
  keyColumn: 'order_id',
  async effects({ deliveries }) {
    const sent = await deliveries();
    return sent.map(({ to, request }) => ({ key: to.replace('buyer of order ', ''), request }));
  },
  guards: [unprotected, lock, noteFirst, outbox],
};
