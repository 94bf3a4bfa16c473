import { groupBy } from '../group-by';
import type { Evidence, Movement } from './evidence';

/** A remaining value that several requests wrote: they read the same stock. */
export interface Duplicate {
  /** The remaining stock that each of the sales reported. */
  readonly value: number;
  readonly sales: readonly Pick<Movement, 'request' | 'replica'>[];
}

export interface StockFindings {
  readonly sold: number;
  readonly oversold: number;
  readonly lostUpdates: number;
  readonly duplicates: readonly Duplicate[];
  /** Requests refused as sold out although the final stock is sufficient for them. */
  readonly refusedWithStock: readonly string[];
  /** Units by which the stock changed without a movement. */
  readonly leaked: number;
  /** Movements without an order: units left the stock, but no buyer has them. */
  readonly orphans: readonly string[];
  /** Orders without a movement: the units were never deducted from the stock. */
  readonly phantoms: readonly string[];
}

const NOT_ENOUGH: ReadonlySet<string> = new Set(['STOCK.SOLD_OUT', 'ACCOUNT.INSUFFICIENT_FUNDS']);

/** With both credits and debits, two movements may correctly end at the same value. */
const areMixed = (movements: readonly Movement[]): boolean =>
  movements.some(({ delta }) => delta > 0) && movements.some(({ delta }) => delta < 0);

/**
 * Units of recorded movements that are missing from the balance. Negative: the balance changed without a movement. Lost
 * credits and lost debits could cancel out in the sum, so with both this adds the units that each write overwrote, in
 * insertion order.
 */
function lostUpdatesOf({ initial, finalStock, movements, segments }: Evidence): number {
  const missing = movements.reduce((sum, { delta }) => sum + delta, 0) - (finalStock - initial);
  if (!areMixed(movements)) return movements.some(({ delta }) => delta > 0) ? missing : 0 - missing;
  const overwritten = [...groupBy(movements, ({ segment }) => segment)].map(([segment, entries]) => {
    let value = segments.find((one) => one.segment === segment)?.initial ?? initial;
    let units = 0;
    for (const { before, after } of entries) {
      units += Math.abs(before - value);
      value = after;
    }
    return units;
  });
  return Math.max(
    Math.abs(missing),
    overwritten.reduce((sum, units) => sum + units, 0),
  );
}

/** The lowest of the values that movements have read or written in the balance's own row, and of these. */
const lowestOf = (movements: readonly Movement[], ...values: readonly number[]): number =>
  movements.reduce(
    (lowest, { segment, before, after }) => (segment === null ? Math.min(lowest, before, after) : lowest),
    Math.min(...values),
  );

/** Compares the movements with the stock, and the orders with the movements. */
export function judgeStock(evidence: Evidence): StockFindings {
  const { initial, movements, orders, answers } = evidence;
  const lostUpdates = lostUpdatesOf(evidence);
  const sold = movements.reduce((sum, { delta }) => sum - delta, 0);
  const refused = answers.filter(({ code }) => NOT_ENOUGH.has(code));
  // with credits and debits, neither their sum nor the final stock shows how much was left in between
  const lowest = areMixed(movements) ? lowestOf(movements, initial, evidence.finalStock) : initial - sold;
  return {
    sold,
    oversold: Math.max(0, sold - initial, -lowest),
    lostUpdates,
    leaked: Math.max(0, -lostUpdates),
    duplicates: areMixed(movements) ? [] : duplicatesOf(movements),
    refusedWithStock: refused.filter(({ quantity }) => lowest >= quantity).map(({ request }) => request),
    orphans: withoutPartner(salesOf(movements), orders),
    phantoms: withoutPartner(orders, movements),
  };
}

/** Movements of one request in several segments are one sale. */
const salesOf = (movements: readonly Movement[]): readonly Movement[] =>
  [...groupBy(movements, ({ request }) => request).values()].flatMap((parts) => {
    const bySegment = [...groupBy(parts, ({ segment }) => segment).values()];
    return bySegment.toSorted((a, b) => b.length - a.length)[0] ?? [];
  });

/** The requests of `ones` without a partner in `others`. A request id that occurs twice needs two partners. */
function withoutPartner(
  ones: readonly { readonly request: string }[],
  others: readonly { readonly request: string }[],
): string[] {
  const left = new Map([...groupBy(others, ({ request }) => request)].map(([id, all]) => [id, all.length]));
  return ones.flatMap(({ request }) => {
    const partners = left.get(request) ?? 0;
    left.set(request, partners - 1);
    return partners > 0 ? [] : [request];
  });
}

function duplicatesOf(movements: readonly Movement[]): Duplicate[] {
  // per segment: two segments may have the same remaining value
  const byValue = groupBy(movements, ({ segment, after }) => `${segment}: ${after}`);
  return [...byValue.values()]
    .flatMap((sales) => {
      const [first] = sales;
      if (first === undefined || sales.length === 1) return [];
      return [{ value: first.after, sales: sales.map(({ request, replica }) => ({ request, replica })) }];
    })
    .sort((a, b) => b.value - a.value);
}
