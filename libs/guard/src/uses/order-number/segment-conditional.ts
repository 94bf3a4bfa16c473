import type { Guard } from '../../contract';
import { perProcess } from '../../shared/per-process';
import { give } from './order-numbers';
import { OwnNumbers, takeSegment } from './segments';

const numbersOf = perProcess(() => new OwnNumbers());

export const segmentConditional: Guard = {
  name: 'order-number/segment-conditional',
  mechanism: 'UPDATE … SET last = LAST_INSERT_ID(last + 10) takes a segment in one statement.',
  defect:
    'Correct. Numbers of a process that ends are never given: gaps. Every tenth order waits for the database.',
  source: 'Meituan, "Leaf" (2017), segment mode; MySQL Reference Manual, LAST_INSERT_ID(expr).',
  next: { guard: 'order-number/double-buffer', why: 'takes the next segment before this one is used up.' },
  options: ['workMs'],
  sharesState: true,
  expected: {},

  async apply(order, { process, sql, work }) {
    const numbers = numbersOf(process);
    if (numbers.left === 0) numbers.add(await takeSegment(sql));
    await work();
    return give(sql, numbers.take(), order);
  },
};
