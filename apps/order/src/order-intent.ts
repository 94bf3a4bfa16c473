import type { Options } from '#lab/strategy';
import type { Order } from './orders.repository';

/** One product of an order. */
export interface OrderLine {
  readonly sku: string;
  readonly quantity: number;
}

/** What somebody wants to buy. */
export interface OrderRequest {
  readonly buyer: string;
  readonly lines: readonly OrderLine[];
  /** It was asked for as a cart, and is answered as one. */
  readonly isCart: boolean;
}

/** How the stock is protected, as the answer says it. */
export interface StrategyChoice {
  readonly strategy: string;
  readonly options: Options;
  readonly ignored: readonly string[];
}

/** What stands under an idempotency key. */
export interface IdempotencyEntry {
  readonly key: string;
  readonly fingerprint: string;
}

/** An order on its way: written down before the inventory is asked, so that whoever finds it can bring it to its end. */
export interface OrderIntent extends OrderRequest, StrategyChoice {
  /** Of the order that it is to become. */
  readonly id: string;
  /** Names the deduction that the inventory is asked for. Who tries again takes a new one, and the old one is given up first. */
  readonly attempt: string;
  readonly keyed: IdempotencyEntry | undefined;
  readonly request: string;
  /** Who places it. */
  readonly replica: string;
}

/** What a buyer is told: kept under an idempotency key, and told again. */
export interface StoredAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** A placement as it is written down. */
export interface OrderIntentRow extends OrderIntent {
  /** `failed`: nothing was bought, by what the inventory said; it may be tried again. */
  readonly state: 'placing' | 'failed' | 'done';
  /** When it is done. */
  readonly answer: StoredAnswer | undefined;
  /** For how long nobody has been at work on it, milliseconds. */
  readonly silentMs: number;
}

/** What the inventory has taken for a placement. */
export interface DeductedStock {
  readonly lines: readonly (OrderLine & { readonly after: number })[];
  readonly replica: string;
}

/** The rows of the order that a placement becomes. */
export const ordersOf = (
  { id, buyer, strategy, request, replica }: OrderIntent,
  deducted: DeductedStock,
): readonly Order[] =>
  deducted.lines.map(({ sku, quantity, after: stockAfter }) => ({
    id,
    sku,
    quantity,
    buyer,
    strategy,
    stockAfter,
    request,
    replica,
    inventoryReplica: deducted.replica,
  }));

type Echo = Pick<StrategyChoice, 'options' | 'ignored'>;
type Line = Pick<Order, 'sku' | 'quantity' | 'stockAfter'>;
export type OrderBought = Order & Echo;
/** A cart that was bought: what its lines share, and the lines. */
export type CartBought = Omit<Order, keyof Line> & Echo & { readonly lines: readonly Line[] };

/** What the buyer of these rows is told. */
export function bought(
  { isCart, options, ignored }: OrderIntent,
  rows: readonly Order[],
): OrderBought | CartBought {
  const [first] = rows;
  if (first === undefined) throw new Error('the inventory deducted no line of the order');
  if (!isCart) return { ...first, options, ignored };
  const { id, buyer, strategy, request, replica, inventoryReplica } = first;
  const lines = rows.map(({ sku, quantity, stockAfter }) => ({ sku, quantity, stockAfter }));
  return { id, lines, buyer, strategy, request, replica, inventoryReplica, options, ignored };
}
