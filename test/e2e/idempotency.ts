import { eventually, type OrderInput, type Reply, type Shop } from './support';

/** The units missing from the stock, and the numbers of movements and orders. */
interface Counts {
  readonly gone: number;
  readonly movements: number;
  readonly orders: number;
}

export const ONCE: Counts = { gone: 1, movements: 1, orders: 1 };
export const NEVER: Counts = { gone: 0, movements: 0, orders: 0 };

interface KeyedOrders {
  /** Sends an order with the key. */
  readonly buy: (key: string, asked: OrderInput) => Promise<Reply>;
  /** Repeats the order until the result of the first one is known. */
  readonly buyAgain: (key: string, asked: OrderInput) => Promise<Reply>;
  readonly isReplayed: (reply: Reply) => boolean;
  readonly counts: (sku: string, stock: number) => Promise<Counts>;
}

/** Orders with an Idempotency-Key. */
export function keyedOrders(shop: () => Shop): KeyedOrders {
  const buy = (key: string, { headers, ...asked }: OrderInput): Promise<Reply> =>
    shop().order({ ...asked, headers: { 'idempotency-key': key, ...headers } });
  return {
    buy,
    buyAgain: async (key, asked) => {
      let reply: Reply | undefined;
      await eventually('the result is known', async () => {
        reply = await buy(key, asked);
        return reply.json['code'] !== 'IDEMPOTENCY.IN_PROGRESS';
      });
      if (reply === undefined) throw new Error('no reply');
      return reply;
    },
    isReplayed: ({ headers }) => headers['idempotency-replayed'] === 'true',
    counts: async (sku, stock) => ({
      gone: stock - Number(await shop().stock(sku)),
      movements: (await shop().movements(sku)).length,
      orders: (await shop().orders(sku)).length,
    }),
  };
}
