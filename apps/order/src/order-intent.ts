import type { Options } from '#lab/strategy';
import type { Order } from './orders.repository';

/** One product of an order. */
export interface OrderLine {
  readonly sku: string;
  readonly quantity: number;
}

/** A validated request for an order. */
export interface OrderRequest {
  readonly buyer: string;
  readonly lines: readonly OrderLine[];
  /** The client sent a cart, and the response has the shape of a cart. */
  readonly isCart: boolean;
}

/** The strategy of an order, its options, and the options that it ignores: as the response shows them. */
export interface StrategyChoice {
  readonly strategy: string;
  readonly options: Options;
  readonly ignored: readonly string[];
}

/** An idempotency key and the fingerprint of its order. */
export interface IdempotencyEntry {
  readonly key: string;
  readonly fingerprint: string;
}

/**
 * An order in progress: recorded before the inventory is called, so that another replica can recover it after a crash.
 */
export interface OrderIntent extends OrderRequest, StrategyChoice {
  /** Id of the future order. */
  readonly id: string;
  /** Id of the deduction at the inventory. A retry uses a new one, after the old one was cancelled. */
  readonly attempt: string;
  readonly keyed: IdempotencyEntry | undefined;
  readonly request: string;
  /** The replica that places the order. */
  readonly replica: string;
}

/** The response to a buyer, stored under the idempotency key and returned again on a replay. */
export interface StoredAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** An order intent as stored. */
export interface OrderIntentRow extends OrderIntent {
  /** `failed`: the inventory confirmed that no stock was taken; the order may be retried. */
  readonly state: 'placing' | 'failed' | 'done';
  /** The response; present only when `state` is `done`. */
  readonly answer: StoredAnswer | undefined;
  /** Milliseconds since the last heartbeat. */
  readonly silentMs: number;
}

/** The stock that the inventory has taken for an order intent. */
export interface DeductedStock {
  readonly lines: readonly (OrderLine & { readonly after: number })[];
  readonly replica: string;
}

/** The rows of the order that an intent becomes. */
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
/** A bought cart: the fields that its lines share, and the lines. */
export type CartBought = Omit<Order, keyof Line> & Echo & { readonly lines: readonly Line[] };

/** The response body for the rows of a recorded order. */
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
