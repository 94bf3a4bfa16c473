import { NOTHING_TO_DO, type Guard } from '../../contract';
import { credit } from './credits';
import { acknowledge, receive } from './stream';

export const unprotected: Guard = {
  name: 'consumption/unprotected',
  mechanism: 'Receive a message, apply it, acknowledge it.',
  defect:
    'A message that is not acknowledged yet is given to the next consumer, although its first one is only slow: it is applied twice. A crash before the acknowledgment has the same effect.',
  source: 'At-least-once delivery; Redis documentation, streams: XAUTOCLAIM.',
  next: { guard: 'consumption/unique-key', why: 'applies a message once, however often it is delivered.' },
  options: ['workMs'],
  expected: { none: { must: ['duplicate'] }, kill: { must: ['duplicate'] } },

  async apply(action, tools) {
    const { redis, sql, work } = tools;
    const received = await receive(tools);
    if (received === undefined) return NOTHING_TO_DO;
    await work();
    await credit(sql, received, action);
    await acknowledge(redis, received);
    return { outcome: 'done', value: received.message };
  },
};
