import type { Guard } from '../../contract';
import { perProcess } from '../../shared/per-process';
import { give } from './order-numbers';
import { lastGiven, OwnNumbers, SEGMENT, setLastGiven } from './segments';

const numbersOf = perProcess(() => new OwnNumbers());

export const segmentLocked: Guard = {
  name: 'order-number/segment-locked',
  mechanism: 'As segment-unlocked, with SELECT … FOR UPDATE and the update in one transaction.',
  defect:
    'Correct. Numbers of a process that ends are never given: gaps. The order of numbers is not that of time.',
  source: 'Meituan, "Leaf" (2017), segment mode.',
  next: { guard: 'order-number/segment-conditional', why: 'needs one statement instead of four.' },
  options: ['workMs'],
  sharesState: true,
  expected: {},

  async apply(order, { process, sql, work }) {
    const numbers = numbersOf(process);
    if (numbers.left === 0) {
      const last = await sql.transaction(async (tx) => {
        const given = await lastGiven(tx, ' FOR UPDATE');
        await work();
        await setLastGiven(tx, given + SEGMENT);
        return given + SEGMENT;
      });
      numbers.add(last);
    }
    return give(sql, numbers.take(), order);
  },
};
