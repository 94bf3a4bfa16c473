import type { Guard } from '../../contract';
import { give } from './order-numbers';

export const maxPlusOne: Guard = {
  name: 'order-number/max-plus-one',
  mechanism: 'SELECT MAX(number), then INSERT the next one.',
  defect: 'Two requests read the same maximum, and both orders get the same number.',
  source: 'The articles on order numbers: "never use MAX + 1".',
  next: { guard: 'order-number/segment-conditional', why: 'takes numbers in one statement.' },
  options: ['workMs'],
  expected: { none: { must: ['duplicate'] } },

  async apply(order, { sql, work }) {
    const [row] = await sql.query<{ max: number }[]>(
      'SELECT COALESCE(MAX(number), 0) AS max FROM order_number',
    );
    await work();
    return give(sql, (row?.max ?? 0) + 1, order);
  },
};
