import type { Guard } from '../../contract';
import { give } from './order-numbers';

export const incr: Guard = {
  name: 'order-number/incr',
  mechanism: 'INCR in Redis: one command, one number.',
  defect:
    'Redis that restarts empty, or a failover to a replica that lacks the last commands, gives numbers again. A crash before the INSERT leaves a gap.',
  source: 'Redis documentation, INCR: the counter pattern.',
  next: { guard: 'order-number/segment-conditional', why: 'keeps the counter where the orders are.' },
  options: ['workMs'],
  expected: { flush: { must: ['duplicate'] } },

  async apply(order, { redis, sql, work }) {
    const number = await redis.incr('order-number');
    await work();
    return give(sql, number, order);
  },
};
