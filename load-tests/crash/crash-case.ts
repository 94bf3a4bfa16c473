import { DEFAULT_OPTIONS, type Options } from '#lab/strategy';

/** An order whose steps are crashed, one after the other. */
export interface CrashCase {
  readonly name: string;
  readonly strategy: string;
  readonly options: Options;
  /** Products in it: more than one is a cart. */
  readonly products: number;
  /** Units of each product that are ordered, and that there are. */
  readonly quantity: number;
  readonly stock: number;
}

/** A dead holder's lock ends soon, and who comes next waits for that. */
const options: Options = { ...DEFAULT_OPTIONS, leaseMs: 500, waitMs: 10_000 };

const one = (strategy: string, more: Partial<CrashCase> = {}): CrashCase => ({
  name: strategy,
  strategy,
  options,
  products: 1,
  quantity: 1,
  stock: 3,
  ...more,
});

/** One of each kind: what the stock is protected by, and where it is counted. */
export const CRASH_CASES: readonly CrashCase[] = [
  one('none'),
  one('conditional-update'),
  one('for-update'),
  one('token-lua'),
  one('redis-decr'),
  one('segmented', { stock: 8, quantity: 3 }), // two in each of four segments: it takes from several
  one('single-writer'),
  one('conditional-update', { name: 'conditional-update, a cart', products: 2, quantity: 2 }),
];
