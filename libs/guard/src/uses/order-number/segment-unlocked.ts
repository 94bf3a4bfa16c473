import type { Guard } from '../../contract';
import { perProcess } from '../../shared/per-process';
import { give } from './order-numbers';
import { lastGiven, OwnNumbers, SEGMENT, setLastGiven } from './segments';

const numbersOf = perProcess(() => new OwnNumbers());

export const segmentUnlocked: Guard = {
  name: 'order-number/segment-unlocked',
  mechanism:
    'A process reads the last number given, writes it back increased by 10, and gives those 10 from its memory.',
  defect: 'Two processes read the same last number and give the same 10 numbers.',
  source: 'Meituan, "Leaf" (2017), segment mode, without its atomic update.',
  next: { guard: 'order-number/segment-conditional', why: 'reads and increases in one statement.' },
  options: ['workMs'],
  sharesState: true,
  expected: { none: { must: ['duplicate'] } },

  async apply(order, { process, sql, work }) {
    const numbers = numbersOf(process);
    if (numbers.left === 0) {
      const last = await lastGiven(sql);
      await work();
      await setLastGiven(sql, last + SEGMENT);
      numbers.add(last + SEGMENT);
    }
    return give(sql, numbers.take(), order);
  },
};
