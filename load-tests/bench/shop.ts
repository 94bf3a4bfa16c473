import { startProcesses, type Stack, type StackOptions } from '#lab/stack';
import { createConnection } from 'mysql2/promise';
import { join } from 'node:path';

/** What every benchmark of the shop needs to start one. */
export interface ShopOptions {
  /** Products that the orders use in turn; with 1, all orders change the same row. */
  readonly products: number;
  /** Replicas of each app. */
  readonly replicas: number;
  /** Parent of the folders of the stacks. */
  readonly dir: string;
  readonly signal?: AbortSignal;
  /** Called with every started stack, so that the caller can stop it after an interrupt. */
  readonly onStart?: (stack: Stack) => void;
  readonly onProgress: (text: string) => void;
}

/** Starts a shop in a folder of its own, without the lab. */
export async function startShop(
  name: string,
  { replicas, dir, signal, onStart }: ShopOptions,
  entries: StackOptions['entries'] = {},
): Promise<Stack> {
  const stack = await startProcesses({
    dir: join(dir, `bench-${name}-${process.pid}`),
    replicas: { order: replicas, inventory: replicas },
    lab: false,
    entries,
    ...(signal && { signal }),
  });
  onStart?.(stack);
  return stack;
}

/** The products of a benchmark. */
export const skusOf = ({ products }: Pick<ShopOptions, 'products'>): readonly string[] =>
  Array.from({ length: products }, (_, i) => `bench-${i + 1}`);

/** Enough that every request is a sale. */
const STOCK = 1_000_000_000;

/** Inserts the products directly: with the lab disabled there is no reset over HTTP. */
export async function stockUp({ urls }: Stack, skus: readonly string[]): Promise<void> {
  const connection = await createConnection(`${urls.mysql}/inventory`);
  for (const sku of skus) {
    await connection.query('INSERT INTO balance (id, amount, initial) VALUES (?, ?, ?)', [sku, STOCK, STOCK]);
    await connection.query('INSERT INTO product (sku, name, price_minor) VALUES (?, ?, 100)', [sku, sku]);
  }
  await connection.end();
}
