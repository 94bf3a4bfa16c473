import { replicaLog, type Conditions, type Stack, type StackOptions } from '#lab/stack';
import { median } from '#load-tests/figures';
import { unexpectedLines } from '#load-tests/run';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { residentMemory } from './memory';
import { salesRate, type Rush, type SalesRate } from './sales-rate';
import { skusOf, startShop, stockUp, type ShopOptions } from './shop';

export interface BenchOptions extends ShopOptions {
  /** Number of pairs: one run of the real apps and one of the bare handlers. */
  readonly pairs: number;
  /** Orders per run. */
  readonly requests: number;
  readonly connections: number;
}

/** One run of the real apps and one of the bare handlers, back to back. Sales per second. */
export interface Pair {
  readonly real: number;
  readonly bare: number;
  readonly ratio: number;
}

export interface BenchResult {
  readonly pairs: readonly Pair[];
  readonly medianRatio: number;
  /** Resident memory of the real replicas, megabytes: before the first run, and two seconds after the last one. */
  readonly restingMb: Readonly<Record<string, number>>;
  readonly afterLoadMb: Readonly<Record<string, number>>;
  readonly conditions: Conditions;
}

/** Orders per stack before the first pair: until then, the CPU time per sale falls to a third. */
const WARM_UP = 12_000;
const REST_MS = 2000;

/**
 * Compares the sales per second of the real apps with those of bare handlers: same statements, hops and number of
 * processes. Throws when an answer is not a sale.
 */
export async function benchHttp(options: BenchOptions): Promise<BenchResult> {
  const entry = join(__dirname, 'bare-handlers.js');
  const start = (name: string, entries?: StackOptions['entries']): Promise<Stack> => {
    options.onProgress(`starting the ${name} replicas`);
    return startShop(name, options, entries);
  };
  const real = await start('real');
  try {
    const bare = await start('bare', { order: entry, inventory: entry });
    try {
      return await compare(real, bare, options);
    } finally {
      await bare.stop();
    }
  } finally {
    await real.stop();
  }
}

async function compare(real: Stack, bare: Stack, options: BenchOptions): Promise<BenchResult> {
  const { pairs, connections, requests, products, signal, onProgress } = options;
  const skus = skusOf(options);
  const rush: Rush = { connections, requests, skus, query: 'strategy=conditional-update' };
  for (const stack of [real, bare]) await stockUp(stack, skus);
  await delay(REST_MS);
  const restingMb = await residentMemory(real);

  const measure = async (stack: Stack, what: string): Promise<number> => {
    signal?.throwIfAborted();
    onProgress(what);
    return onlySales(await salesRate(stack.urls.public, rush), what, stack).perSecond;
  };
  const warmUps = Math.ceil(WARM_UP / requests);
  for (let i = 1; i <= warmUps; i++)
    for (const stack of [real, bare]) await measure(stack, `warming up, ${i} of ${warmUps}`);
  const done: Pair[] = [];
  for (let i = 1; i <= pairs; i++) {
    const a = await measure(real, `pair ${i} of ${pairs}: the real apps`);
    const b = await measure(bare, `pair ${i} of ${pairs}: bare handlers`);
    done.push({ real: a, bare: b, ratio: a / b });
  }
  await delay(REST_MS);
  return {
    pairs: done,
    medianRatio: median(done.map(({ ratio }) => ratio)),
    restingMb,
    afterLoadMb: await residentMemory(real),
    conditions: { ...(await real.conditions()), connections, requests, products, replicas: options.replicas },
  };
}

/** Refusals are cheaper than sales, so a run that has any is not comparable. */
function onlySales(rate: SalesRate, what: string, stack: Stack): SalesRate {
  if (Object.keys(rate.others).length === 0) return rate;
  const answers = unexpectedLines(rate.unexpected.result((request) => replicaLog(stack, request)));
  throw new Error(
    [`${what}: some answers were no sale (status: count): ${JSON.stringify(rate.others)}`, ...answers].join(
      '\n',
    ),
  );
}
