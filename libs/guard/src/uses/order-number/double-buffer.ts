import type { Guard, GuardTools } from '../../contract';
import { perProcess } from '../../shared/per-process';
import { give } from './order-numbers';
import { OwnNumbers, SEGMENT, takeSegment } from './segments';

/** The segment in use, and the next one. */
class Buffers {
  readonly current = new OwnNumbers();
  private next: Promise<number> | undefined;

  /** Takes a number. Requests the next segment when half of the current one is used, and waits only when nothing is left. */
  async take({ sql }: Pick<GuardTools, 'sql'>): Promise<number> {
    if (this.current.left <= SEGMENT / 2) this.next ??= takeSegment(sql);
    if (this.current.left === 0) {
      const last = await this.next?.finally(() => (this.next = undefined));
      if (last !== undefined && this.current.left === 0) this.current.add(last);
      return this.take({ sql });
    }
    return this.current.take();
  }
}

const buffersOf = perProcess(() => new Buffers());

export const doubleBuffer: Guard = {
  name: 'order-number/double-buffer',
  mechanism: 'As segment-conditional, and the next segment is requested when half of this one is used.',
  defect: 'Correct, and seldom waits for the database. A restart leaves up to two segments as a gap.',
  source: 'Meituan, "Leaf" (2017), double buffer.',
  next: { why: 'nothing: use it where gaps do not matter, and an auto-increment column where they do.' },
  options: ['workMs'],
  sharesState: true,
  expected: {},

  async apply(order, { process, sql, work }) {
    const number = await buffersOf(process).take({ sql });
    await work();
    return give(sql, number, order);
  },
};
