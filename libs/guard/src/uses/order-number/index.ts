import type { Use } from '../../contract';
import { doubleBuffer } from './double-buffer';
import { incr } from './incr';
import { maxPlusOne } from './max-plus-one';
import { segmentConditional } from './segment-conditional';
import { segmentLocked } from './segment-locked';
import { segmentUnlocked } from './segment-unlocked';

export const orderNumber: Use = {
  name: 'order-number',
  action: 'Give an order a number that no other order has.',
  endpoint: 'POST /order-numbers',
  rules: { effect: 'order with number', second: 'duplicate', isPromised: true },
  tables: ['order_number'],
  remembered: ["UPDATE number_segment SET last = 0 WHERE name = 'order'"],
  async effects({ query }) {
    const rows = await query('SELECT number, request FROM order_number ORDER BY id');
    return (rows as { number: number; request: string }[]).map(({ number, request }) => ({
      key: String(number),
      request,
    }));
  },
  async prepare(_, { redis }) {
    await redis.del('order-number');
  },
  guards: [maxPlusOne, incr, segmentUnlocked, segmentLocked, segmentConditional, doubleBuffer],
};
