import { DEFAULT_OPTIONS, type Options } from '#lab/strategy';

/** An order; a replica is killed at each of its steps in turn. */
export interface CrashCase {
  readonly name: string;
  readonly strategy: string;
  readonly options: Options;
  /** Number of products; more than one is a cart. */
  readonly products: number;
  /** Units ordered of each product, and its initial stock. */
  readonly quantity: number;
  readonly stock: number;
}

/** A short lease and a long wait: the next request outwaits the lock of a killed holder. */
const options: Options = { ...DEFAULT_OPTIONS, leaseMs: 500, waitMs: 10_000 };

const crashCase = (strategy: string, more: Partial<CrashCase> = {}): CrashCase => ({
  name: strategy,
  strategy,
  options,
  products: 1,
  quantity: 1,
  stock: 3,
  ...more,
});

/** One strategy for each kind of protection and each place where the stock is counted. */
export const CRASH_CASES: readonly CrashCase[] = [
  crashCase('none'),
  crashCase('conditional-update'),
  crashCase('for-update'),
  crashCase('token-lua'),
  crashCase('redis-decr'),
  crashCase('segmented', { stock: 8, quantity: 3 }), // two units in each of four segments: an order takes from several
  crashCase('single-writer'),
  crashCase('conditional-update', { name: 'conditional-update, a cart', products: 2, quantity: 2 }),
];
