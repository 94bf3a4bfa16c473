import type { Stack } from '#lab/stack';
import { createConnection } from 'mysql2/promise';

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
