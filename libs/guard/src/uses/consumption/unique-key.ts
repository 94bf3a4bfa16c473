import { NOTHING_TO_DO, type Guard } from '../../contract';
import { inserted } from '../../shared/sql';
import { acknowledge, receive } from './stream';

export const uniqueKey: Guard = {
  name: 'consumption/unique-key',
  mechanism:
    'The id of the message is a unique key of the credit: one statement applies and remembers. Acknowledge after it.',
  defect:
    'Correct: a message that is delivered again finds its row. It costs a column that is never deleted.',
  source:
    'Kleppmann, "Designing Data-Intensive Applications", chapter 12: idempotent writes by an operation id.',
  next: { why: 'nothing: entries of merchant accounts (X-Request-Id) work in this way.' },
  options: ['workMs'],
  expected: {},

  async apply({ request }, tools) {
    const { redis, sql, work } = tools;
    const received = await receive(tools);
    if (received === undefined) return NOTHING_TO_DO;
    const { message } = received;
    await work();
    const row = sql.query('INSERT INTO credit (message, once, request) VALUES (?, ?, ?)', [
      message,
      message,
      request,
    ]);
    const isNew = await inserted(row);
    await acknowledge(redis, received);
    return { outcome: isNew ? 'done' : 'already-done', value: message };
  },
};
