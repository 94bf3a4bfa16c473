import type { Config } from '#lab/config';
import { problem, ProblemError, Story, type Chosen } from '#lab/http';
import type { Fault } from '#lab/step';
import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { InventoryClient } from './inventory.client';
import { OrdersRepository, type Order } from './orders.repository';
import { CONFIG } from './tokens';

export interface Placement {
  readonly sku: string;
  readonly quantity: number;
  readonly buyer: string;
  readonly request: string;
  /** The `x-fault` header, handed on. */
  readonly fault: string | undefined;
}

/** Places orders: the stock first, then the order. */
@Injectable()
export class OrdersService {
  constructor(
    @Inject(InventoryClient) private readonly inventory: InventoryClient,
    @Inject(OrdersRepository) private readonly orders: OrdersRepository,
    @Inject(Story) private readonly story: Story,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  place(placement: Placement, chosen: Chosen, faults: readonly Fault[]): Promise<Order> {
    const { sku, quantity, request } = placement;
    const { strategy, options } = chosen;
    const begin = { request, balance: sku, delta: -quantity, strategy: strategy.name, options };
    return this.story.tell(begin, faults, () => this.deductAndRecord(placement, chosen));
  }

  private async deductAndRecord(
    { sku, quantity, buyer, request, fault }: Placement,
    chosen: Chosen,
  ): Promise<Order> {
    const { after: stockAfter, replica: inventoryReplica } = await this.inventory.deduct({
      sku,
      quantity,
      request,
      chosen,
      fault,
    });
    const order: Order = {
      id: randomUUID(),
      sku,
      quantity,
      buyer,
      strategy: chosen.strategy.name,
      stockAfter,
      request,
      replica: this.config.replica,
      inventoryReplica,
    };
    await this.orders.insert(order).catch((cause: unknown) => {
      const detail = `the stock was deducted, but the order could not be recorded (request ${request}). Do not order again: the verdict lists it as an orphan`;
      throw Object.assign(new ProblemError(problem('OUTCOME_UNKNOWN', detail)), { cause });
    });
    return order;
  }
}
