import { Ledger, UnknownBalance, WHOLE_AMOUNT } from '#lab/balance';
import type { Chosen } from '#lab/http';
import { SteppedDataSource } from '#lab/step';
import { Injectable } from '@nestjs/common';
import { Toolbox } from '#lab/host';

export interface Product {
  readonly sku: string;
  readonly name: string;
  readonly priceMinor: number;
  readonly stock: number;
  /** The stock at the last reset. */
  readonly initial: number;
}

const PRODUCTS = `SELECT sku, name, price_minor AS priceMinor, ${WHOLE_AMOUNT} AS stock, initial
                    FROM product JOIN balance ON balance.id = product.sku`;

@Injectable()
export class ProductsService {
  constructor(
    private readonly dataSource: SteppedDataSource,
    private readonly ledger: Ledger,
    private readonly toolbox: Toolbox,
  ) {}

  list(): Promise<Product[]> {
    return this.dataSource.query<Product[]>(`${PRODUCTS} ORDER BY sku LIMIT 1000`);
  }

  async find(sku: string): Promise<Product> {
    const [product] = await this.dataSource.query<Product[]>(`${PRODUCTS} WHERE sku = ?`, [sku]);
    if (product === undefined) throw new UnknownBalance(sku);
    return product;
  }

  /** Like `find`, but a strategy with a shared lock reads the stock under it. Throws `LockNotObtained`. */
  async findUnder({ strategy, options }: Chosen, sku: string, request: string): Promise<Product> {
    const product = await this.find(sku);
    const stock = await strategy.read?.(sku, this.toolbox.tools(request, options));
    return stock === undefined ? product : { ...product, stock };
  }

  /** Resets the stock and deletes the movements; creates the product if needed. */
  async reset(sku: string, stock: number): Promise<void> {
    await this.ledger.reset(sku, stock);
    await this.dataSource.query('INSERT IGNORE INTO product (sku, name, price_minor) VALUES (?, ?, 100)', [
      sku,
      sku,
    ]);
  }
}
