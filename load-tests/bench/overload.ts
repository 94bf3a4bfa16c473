import type { Conditions } from '#lab/stack';
import { offerOrders, type Offered } from './open-loop';
import { salesRate } from './sales-rate';
import { skusOf, startShop, stockUp, type ShopOptions } from './shop';

export interface OverloadOptions extends ShopOptions {
  /** Duration of each rate. */
  readonly seconds: number;
}

/** One rate of orders, as a multiple of the capacity, and what became of it. */
export interface OverloadRow extends Offered {
  readonly times: number;
}

export interface OverloadResult {
  /** Sales per second of a closed loop: each of some buyers orders again after its answer. */
  readonly capacityPerSecond: number;
  readonly rows: readonly OverloadRow[];
  readonly peakGoodput: number;
  /** Goodput at the highest rate, as a share of the peak. */
  readonly shareAtMost: number;
  readonly conditions: Conditions;
}

const TIMES = [0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5];
const CAPACITY_CONNECTIONS = 64;
const WARM_UP = 8000;
const CAPACITY_ORDERS = 4000;
/** Upper limit of a rate: one process cannot send more. */
const MOST_PER_SECOND = 20_000;

/** Measures goodput against offered load, in an open loop, on a stack of its own. */
export async function benchOverload(options: OverloadOptions): Promise<OverloadResult> {
  const { replicas, products, seconds, signal, onProgress } = options;
  onProgress('starting the replicas');
  const stack = await startShop('overload', options);
  try {
    const skus = skusOf(options);
    await stockUp(stack, skus);
    const query = 'strategy=conditional-update';
    const closedLoop = { connections: CAPACITY_CONNECTIONS, skus, query };
    onProgress('warming up');
    await salesRate(stack.urls.public, { ...closedLoop, requests: WARM_UP });
    onProgress('measuring the capacity');
    const { perSecond } = await salesRate(stack.urls.public, { ...closedLoop, requests: CAPACITY_ORDERS });
    const rows: OverloadRow[] = [];
    for (const times of TIMES) {
      signal?.throwIfAborted();
      onProgress(`offering ${times} times the capacity for ${seconds} s`);
      const rate = Math.min(times * perSecond, MOST_PER_SECOND);
      rows.push({
        times,
        ...(await offerOrders(stack.urls.public, { perSecond: rate, seconds, skus, query })),
      });
    }
    const peakGoodput = Math.max(...rows.map(({ goodputPerSecond }) => goodputPerSecond));
    return {
      capacityPerSecond: perSecond,
      rows,
      peakGoodput,
      shareAtMost: (rows.at(-1)?.goodputPerSecond ?? 0) / peakGoodput,
      conditions: { ...(await stack.conditions()), replicas, products, seconds },
    };
  } finally {
    await stack.stop();
  }
}
