import type { Guard, GuardTools } from '../../contract';
import { perProcess } from '../../shared/per-process';
import { give } from './order-numbers';
import { OwnNumbers, SEGMENT, takeSegment } from './segments';

/** The segment in use, and the next one. */
class Buffers {
  readonly current = new OwnNumbers();
  private next: Promise<number> | undefined;
  /** The last number of the current segment. */
  private given = 0;

  /** Takes a number. Requests the next segment when half of the current one is used, and waits only when nothing is left. */
  async take({ sql }: Pick<GuardTools, 'sql'>): Promise<number> {
    if (this.current.left() <= SEGMENT / 2) void this.request(sql);
    while (this.current.left() === 0) await this.useNext(sql);
    return this.current.take();
  }

  /** Requests the next segment, unless that was done. A failure is that of the request that waits for it. */
  private request(sql: GuardTools['sql']): Promise<number> {
    if (this.next === undefined) {
      const requested = takeSegment(sql);
      requested.catch(() => {
        if (this.next === requested) this.next = undefined;
      });
      this.next = requested;
    }
    return this.next;
  }

  /** Waits for the next segment. The first request that finds it there begins to use it. */
  private async useNext(sql: GuardTools['sql']): Promise<void> {
    const requested = this.request(sql);
    const last = await requested.finally(() => {
      if (this.next === requested) this.next = undefined;
    });
    if (this.current.left() === 0 && last > this.given) this.current.add((this.given = last));
  }
}

const buffersOf = perProcess(() => new Buffers());

export const doubleBuffer: Guard = {
  name: 'order-number/double-buffer',
  mechanism: 'As segment-conditional, and the next segment is requested when half of this one is used.',
  defect: 'Correct, and seldom waits for the database. A restart leaves up to two segments as a gap.',
  source: 'Meituan, "Leaf" (2017), double buffer.',
  next: {
    why: 'nothing: use it where gaps do not matter. Numbers without gaps need a counter row that the transaction of the order locks; an auto-increment column has gaps after a rollback.',
  },
  options: ['workMs'],
  sharesState: true,
  expected: {},

  async apply(order, { process, sql, work }) {
    const number = await buffersOf(process).take({ sql });
    await work();
    return give(sql, number, order);
  },
};
