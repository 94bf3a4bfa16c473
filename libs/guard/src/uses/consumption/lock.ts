import { lockKey } from '#lab/strategy';
import { NOTHING_TO_DO, type Guard } from '../../contract';
import { whenInterrupted, whenLockEnds } from '../../shared/expected';
import { credit } from './credits';
import { acknowledge, receive } from './stream';

export const lock: Guard = {
  name: 'consumption/lock',
  mechanism:
    'SET NX PX on the id of the message before it is applied; a message whose key exists is acknowledged and left.',
  defect:
    'A consumer that dies between SET and the credit loses the message: the next one finds the key and acknowledges. After the key has expired the message is applied again.',
  source: 'The articles on repeated consumption: "deduplicate by SETNX on the message id".',
  next: { guard: 'consumption/unique-key', why: 'records the id in the transaction of the credit.' },
  options: ['leaseMs', 'workMs'],
  expected: {
    ...whenInterrupted('missing'),
    ...whenLockEnds('duplicate'),
  },

  async apply(action, tools) {
    const { redis, sql, options, work } = tools;
    const received = await receive(tools);
    if (received === undefined) return NOTHING_TO_DO;
    const key = lockKey(`message:${received.message}`, 'consumption');
    const isFirst = await redis.set(key, action.request, 'PX', options.leaseMs, 'NX');
    if (isFirst !== null) {
      await work();
      await credit(sql, received, action);
    }
    await acknowledge(redis, received);
    return { outcome: isFirst === null ? 'already-done' : 'done', value: received.message };
  },
};
