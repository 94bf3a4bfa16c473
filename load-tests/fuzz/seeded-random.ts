import { seeded } from '#lab/explore';

/** Far apart, so that neighbouring requests have nothing in common. */
const STRIDE = 0x9e3779b1;

/** Chances of one request: the same for the same seed and number, whatever was answered before. */
export class SeededRandom {
  private readonly next: () => number;

  constructor(seed: number, index: number) {
    this.next = seeded((seed ^ Math.imul(index + 1, STRIDE)) >>> 0);
    this.next();
  }

  /** A whole number from 0 to `sides` - 1. */
  below(sides: number): number {
    return Math.floor(this.next() * sides);
  }

  /** True in one of `n` cases. */
  oneIn(n: number): boolean {
    return this.below(n) === 0;
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error('there is nothing to pick from');
    return list[this.below(list.length)] as T;
  }
}
