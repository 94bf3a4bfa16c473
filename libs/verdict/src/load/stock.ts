import { groupBy } from '../group-by';
import type { Evidence, Movement } from './evidence';

/** A remaining value that was sold more than once, and by whom: two requests read the same stock. */
export interface Duplicate {
  /** The stock that the buyers were told is left. */
  readonly value: number;
  readonly sales: readonly Pick<Movement, 'request' | 'replica'>[];
}

export interface StockFindings {
  readonly sold: number;
  readonly oversold: number;
  readonly lostUpdates: number;
  readonly duplicates: readonly Duplicate[];
  /** Requests that were told "sold out" although, at the end, enough was left for them. */
  readonly refusedWithStock: readonly string[];
  /** Units that have left the stock, or come into it, without a movement: nobody has bought or brought them. */
  readonly leaked: number;
  /** Movements without an order: somebody's stock is gone and nobody has bought it. */
  readonly orphans: readonly string[];
  /** Orders without a movement: somebody has bought what was never taken from the stock. */
  readonly phantoms: readonly string[];
}

const NOT_ENOUGH: ReadonlySet<string> = new Set(['STOCK.SOLD_OUT', 'ACCOUNT.INSUFFICIENT_FUNDS']);

/** Some go up and some down: then a value may be reached twice without anything being wrong. */
const areMixed = (movements: readonly Movement[]): boolean =>
  movements.some(({ delta }) => delta > 0) && movements.some(({ delta }) => delta < 0);

/**
 * Units whose movement is recorded and whose change is not in the balance: a sale that the stock does not show, a credit
 * that it does not have. Below zero: units have gone, or come, without any movement. Where credits and debits meet,
 * what they lose could cancel out: there it is what each overwrote, in the order of their writes.
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

/** What the rows say: the movements against the stock, and the orders against the movements. */
export function judgeStock(evidence: Evidence): StockFindings {
  const { initial, movements, orders, answers } = evidence;
  const lostUpdates = lostUpdatesOf(evidence);
  const sold = movements.reduce((sum, { delta }) => sum - delta, 0);
  const refused = answers.filter(({ code }) => NOT_ENOUGH.has(code));
  return {
    sold,
    oversold: Math.max(0, sold - initial),
    lostUpdates,
    leaked: Math.max(0, -lostUpdates),
    duplicates: areMixed(movements) ? [] : duplicatesOf(movements),
    refusedWithStock: refused
      .filter(({ quantity }) => initial - sold >= quantity)
      .map(({ request }) => request),
    orphans: withoutPartner(salesOf(movements), orders),
    phantoms: withoutPartner(orders, movements),
  };
}

/** The parts that one request took from several segments are one sale. */
const salesOf = (movements: readonly Movement[]): readonly Movement[] =>
  [...groupBy(movements, ({ request }) => request).values()].flatMap((parts) => {
    const bySegment = [...groupBy(parts, ({ segment }) => segment).values()];
    return bySegment.toSorted((a, b) => b.length - a.length)[0] ?? [];
  });

/** Those of `ones` that have no partner among `others`; a request id that was used twice needs two. */
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
  // a chain for each segment: the same value may be left in two of them
  const byValue = groupBy(movements, ({ segment, after }) => `${segment}: ${after}`);
  return [...byValue.values()]
    .flatMap((sales) => {
      const [first] = sales;
      if (first === undefined || sales.length === 1) return [];
      return [{ value: first.after, sales: sales.map(({ request, replica }) => ({ request, replica })) }];
    })
    .sort((a, b) => b.value - a.value);
}
