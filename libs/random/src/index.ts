/** Separates the seeds of consecutive items, so that their sequences are unrelated. */
const STRIDE = 0x9e3779b1;

/** Seeded pseudo-random numbers from 0 (included) to 1 (excluded): mulberry32. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Random choices that depend only on the seed. Runs are repeated by their seed: the sequences must never change. */
export class SeededRandom {
  /** The next number from 0 (included) to 1 (excluded). */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = seeded(seed);
  }

  /** The choices for item `index` of a run, independent of how many choices the items before it took. */
  static forItem(seed: number, index: number): SeededRandom {
    const random = new SeededRandom((seed ^ Math.imul(index + 1, STRIDE)) >>> 0);
    random.next();
    return random;
  }

  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** An integer between two inclusive bounds. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  /** True with probability 1/n. */
  oneIn(n: number): boolean {
    return this.below(n) === 0;
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error('A random choice needs at least one value');
    return list[this.below(list.length)] as T;
  }

  shuffle<T>(list: readonly T[]): T[] {
    return list
      .map((value) => ({ value, key: this.next() }))
      .sort((a, b) => a.key - b.key)
      .map(({ value }) => value);
  }
}
