import { startProcesses, type Conditions, type Stack } from '#lab/stack';
import { createConnection } from 'mysql2/promise';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { median } from './median';
import { residentMemory } from './memory';
import { salesRate, type Rush, type SalesRate } from './sales-rate';

export interface BenchOptions {
  /** Runs of each side, alternating. */
  readonly pairs: number;
  /** Orders of one run. */
  readonly requests: number;
  readonly connections: number;
  /** Products that the orders go round: with 1, all want the same row. */
  readonly products: number;
  /** Replicas of each app, on both sides. */
  readonly replicas: number;
  /** Two folders for the two stacks are made in here. */
  readonly dir: string;
  readonly signal?: AbortSignal;
  /** Told of every stack as soon as it runs, so that it can be stopped when this is given up. */
  readonly onStart?: (stack: Stack) => void;
  readonly onProgress: (text: string) => void;
}

/** One run of the real apps and one of the bare handlers, right after each other. Sales per second. */
export interface Pair {
  readonly real: number;
  readonly bare: number;
  readonly ratio: number;
}

export interface BenchResult {
  readonly pairs: readonly Pair[];
  readonly medianRatio: number;
  /** Resident memory of the real replicas, megabytes: after their start, and some seconds after the last run. */
  readonly restingMb: Readonly<Record<string, number>>;
  readonly afterLoadMb: Readonly<Record<string, number>>;
  readonly conditions: Conditions;
}

/** Enough for every request to be a sale. */
const STOCK = 1_000_000_000;
/** Orders of each side before the first pair: the CPU time of a sale falls until about here, to a third. */
const WARM_UP = 12_000;
const REST_MS = 2000;

/** Sales/s of the real apps against bare handlers: same statements, same hops, same number of processes. */
export async function benchHttp(options: BenchOptions): Promise<BenchResult> {
  const { replicas, dir, signal, onProgress } = options;
  const entry = join(__dirname, 'bare-handlers.js');
  const start = async (name: string, entries = {}): Promise<Stack> => {
    onProgress(`starting the ${name} replicas`);
    const stack = await startProcesses({
      dir: join(dir, `bench-${name}-${process.pid}`),
      replicas: { order: replicas, inventory: replicas },
      lab: false,
      entries,
      ...(signal && { signal }),
    });
    options.onStart?.(stack);
    return stack;
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
  const skus = Array.from({ length: products }, (_, i) => `bench-${i + 1}`);
  const rush: Rush = { connections, requests, skus, query: 'strategy=conditional-update' };
  for (const stack of [real, bare]) await stockUp(stack, skus);
  await delay(REST_MS);
  const restingMb = await residentMemory(real);

  const measure = async (stack: Stack, what: string): Promise<number> => {
    signal?.throwIfAborted();
    onProgress(what);
    return onlySales(await salesRate(stack.urls.public, rush), what).perSecond;
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

/** The lab is disabled, so nobody can reset over HTTP: the rows are put there by hand. */
async function stockUp({ urls }: Stack, skus: readonly string[]): Promise<void> {
  const connection = await createConnection(`${urls.mysql}/inventory`);
  for (const sku of skus) {
    await connection.query('INSERT INTO balance (id, amount, initial) VALUES (?, ?, ?)', [sku, STOCK, STOCK]);
    await connection.query('INSERT INTO product (sku, name, price_minor) VALUES (?, ?, 100)', [sku, sku]);
  }
  await connection.end();
}

/** A cheap refusal is not a sale: a run that has any measures nothing. */
function onlySales(rate: SalesRate, what: string): SalesRate {
  if (Object.keys(rate.others).length === 0) return rate;
  throw new Error(
    `${what}: not every answer was a sale (status: count) ${JSON.stringify(rate.others)}; look at the logs of the replicas`,
  );
}
