import { seeded } from '#lab/explore';

/** Separates the seeds of consecutive requests, so that their sequences are unrelated. */
const STRIDE = 0x9e3779b1;

/** Random choices of one request; they depend only on the seed and the request number. */
export class SeededRandom {
  private readonly next: () => number;

  constructor(seed: number, index: number) {
    this.next = seeded((seed ^ Math.imul(index + 1, STRIDE)) >>> 0);
    this.next();
  }

  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** True with probability 1/n. */
  oneIn(n: number): boolean {
    return this.below(n) === 0;
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error('cannot pick from an empty list');
    return list[this.below(list.length)] as T;
  }
}
