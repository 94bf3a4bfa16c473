import type { Use } from '../../contract';
import { lock } from './lock';
import { fill } from './stream';
import { uniqueKey } from './unique-key';
import { unprotected } from './unprotected';

export const consumption: Use = {
  name: 'consumption',
  action: 'Apply a message that a stream delivers at least once.',
  endpoint: 'POST /messages/consumptions',
  rules: { effect: 'credit of message', second: 'duplicate', isPromised: true },
  tables: ['credit'],
  async effects({ query }) {
    const rows = await query('SELECT message, request FROM credit ORDER BY id');
    return (rows as { message: string; request: string }[]).map(({ message, request }) => ({
      key: message,
      request,
    }));
  },
  prepare: (messages, { redis }) => fill(redis, messages),
  guards: [unprotected, lock, uniqueKey],
};
