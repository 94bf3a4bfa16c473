import type { Conditions } from '#lab/stack';
import { median } from '#load-tests/figures';
import { offerOrders, type Offered } from './goodput';
import { salesRate } from './sales-rate';
import { skusOf, startShop, stockUp, type ShopOptions } from './shop';

export interface OverloadOptions extends ShopOptions {
  /** Duration of each rate. */
  readonly seconds: number;
  /** Number of curves: all rates, one after another. */
  readonly repeats: number;
}

/** One rate of orders, as a multiple of the capacity, and what became of it. */
export interface OverloadRow extends Offered {
  readonly times: number;
}

/** All rates once. */
export interface OverloadCurve {
  /** Sales per second of a closed loop just before: each of some buyers orders again after its answer. */
  readonly capacityPerSecond: number;
  readonly rows: readonly OverloadRow[];
  readonly peakGoodput: number;
  /** Goodput at the highest rate, as a share of the peak. */
  readonly shareAtMost: number;
}

export interface OverloadResult {
  /** In the order of their measurement. */
  readonly curves: readonly OverloadCurve[];
  readonly medianShareAtMost: number;
  readonly conditions: Conditions;
}

const TIMES = [0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5];
const QUERY = 'strategy=conditional-update';
const CLOSED_LOOP = { connections: 64, query: QUERY };
const WARM_UP = 8000;
const CAPACITY_ORDERS = 4000;
/** Upper limit of a rate: one process cannot send more. */
const MOST_PER_SECOND = 20_000;

/** Measures goodput against offered load, in an open loop, on a stack of its own. */
export async function benchOverload(options: OverloadOptions): Promise<OverloadResult> {
  const { replicas, products, seconds, repeats, onProgress } = options;
  onProgress('starting the replicas');
  const stack = await startShop('overload', options);
  try {
    const skus = skusOf(options);
    await stockUp(stack, skus);
    const url = stack.urls.public;
    onProgress('warming up');
    await salesRate(url, { ...CLOSED_LOOP, skus, requests: WARM_UP });
    const curves: OverloadCurve[] = [];
    while (curves.length < repeats) {
      const say = (text: string): void => {
        onProgress(`curve ${curves.length + 1} of ${repeats}: ${text}`);
      };
      curves.push(await measureCurve(url, skus, options, say));
    }
    return {
      curves,
      medianShareAtMost: median(curves.map(({ shareAtMost }) => shareAtMost)),
      conditions: { ...(await stack.conditions()), replicas, products, seconds },
    };
  } finally {
    await stack.stop();
  }
}

async function measureCurve(
  url: string,
  skus: readonly string[],
  { seconds, signal }: OverloadOptions,
  say: (text: string) => void,
): Promise<OverloadCurve> {
  say('measuring the capacity');
  const { perSecond } = await salesRate(url, { ...CLOSED_LOOP, skus, requests: CAPACITY_ORDERS });
  const rows: OverloadRow[] = [];
  for (const times of TIMES) {
    signal?.throwIfAborted();
    say(`offering ${times} times the capacity for ${seconds} s`);
    const rate = Math.min(times * perSecond, MOST_PER_SECOND);
    rows.push({ times, ...(await offerOrders(url, { perSecond: rate, seconds, skus, query: QUERY })) });
  }
  const peakGoodput = Math.max(...rows.map(({ goodputPerSecond }) => goodputPerSecond));
  return {
    capacityPerSecond: perSecond,
    rows,
    peakGoodput,
    shareAtMost: (rows.at(-1)?.goodputPerSecond ?? 0) / peakGoodput,
  };
}
