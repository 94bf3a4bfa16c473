import { groupBy } from '../group-by';
import type { Answer, Evidence, Movement } from './evidence';

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
  /** Movements without an order: somebody's stock is gone and nobody has bought it. */
  readonly orphans: readonly string[];
  /** Units that buyers wanted and did not give up on: conflicts, busy and lost answers lower it. */
  readonly demand: number;
}

/** What the rows say: the movements against the stock, and the orders against the movements. */
export function judgeStock({ initial, finalStock, movements, orders, answers }: Evidence): StockFindings {
  const sold = movements.reduce((sum, { delta }) => sum - delta, 0);
  const ordered = new Set(orders.map(({ request }) => request));
  const refused = answers.filter(({ code }) => code === 'STOCK.SOLD_OUT');
  return {
    sold,
    oversold: Math.max(0, sold - initial),
    lostUpdates: sold - (initial - finalStock),
    duplicates: duplicatesOf(movements),
    refusedWithStock: refused
      .filter(({ quantity }) => initial - sold >= quantity)
      .map(({ request }) => request),
    orphans: movements.filter(({ request }) => !ordered.has(request)).map(({ request }) => request),
    demand: sold + units(refused),
  };
}

const units = (answers: readonly Answer[]): number =>
  answers.reduce((sum, { quantity }) => sum + quantity, 0);

function duplicatesOf(movements: readonly Movement[]): Duplicate[] {
  const byValue = groupBy(movements, ({ after }) => after);
  return [...byValue]
    .filter(([, sales]) => sales.length > 1)
    .map(([value, sales]) => ({ value, sales: sales.map(({ request, replica }) => ({ request, replica })) }))
    .sort((a, b) => b.value - a.value);
}
