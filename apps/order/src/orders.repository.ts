import { SteppedDataSource } from '#lab/step';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** An order of one product, or one line of a cart; the lines of a cart share their `id`. */
export interface Order {
  readonly id: string;
  readonly sku: string;
  readonly quantity: number;
  readonly buyer: string;
  readonly strategy: string;
  /** The remaining stock in the response to the buyer. */
  readonly stockAfter: number;
  readonly request: string;
  readonly replica: string;
  readonly inventoryReplica: string;
}

/** An order as recorded. `number` is the row number, `at` is UTC, ISO 8601. */
export type OrderRow = Order & { readonly number: number; readonly at: string };

@Injectable()
export class OrdersRepository {
  constructor(private readonly dataSource: SteppedDataSource) {}

  /** Records the lines of one order, in one statement: all or none. */
  async insert(lines: readonly Order[], sql: Pick<EntityManager, 'query'> = this.dataSource): Promise<void> {
    await sql.query(
      `INSERT INTO orders (id, sku, quantity, buyer, strategy, stock_after, request, replica, inventory_replica)
       VALUES ${lines.map(() => '(?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}`,
      lines.flatMap((order) => [
        order.id,
        order.sku,
        order.quantity,
        order.buyer,
        order.strategy,
        order.stockAfter,
        order.request,
        order.replica,
        order.inventoryReplica,
      ]),
    );
  }

  /** The lines of one order; empty: there is no such order. */
  async find(id: string): Promise<Order[]> {
    return this.dataSource.query<Order[]>(
      `SELECT id, sku, quantity, buyer, strategy, stock_after AS stockAfter, request, replica,
              inventory_replica AS inventoryReplica
         FROM orders WHERE id = ? ORDER BY number`,
      [id],
    );
  }

  async list({
    sku,
    after,
    limit,
  }: {
    sku?: string | undefined;
    after: number;
    limit: number;
  }): Promise<OrderRow[]> {
    const where = sku === undefined ? '' : 'AND sku = ?';
    const rows = await this.dataSource.query<(Omit<OrderRow, 'at'> & { at: Date })[]>(
      `SELECT number, id, sku, quantity, buyer, strategy, stock_after AS stockAfter, request, replica,
              inventory_replica AS inventoryReplica, at
         FROM orders WHERE number > ? ${where} ORDER BY number LIMIT ?`,
      [after, ...(sku === undefined ? [] : [sku]), limit],
    );
    return rows.map(({ at, ...row }) => ({ ...row, at: at.toISOString() }));
  }

  async forget(sku: string): Promise<void> {
    await this.dataSource.query('DELETE FROM orders WHERE sku = ?', [sku]);
  }
}
