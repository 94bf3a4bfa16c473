import { Inject, Injectable } from '@nestjs/common';
import { InventoryClient } from './inventory.client';
import { OrdersRepository } from './orders.repository';
import { bought, ordersOf, type StoredAnswer, type OrderIntent, type DeductedStock } from './order-intent';
import { OrderIntentsRepository } from './order-intents.repository';

/**
 * Brings placements to their end, by what the databases say: exactly once, however many try. The inventory decides whether the
 * stock was taken (or never will be), and the row of the placement decides who records the order.
 */
@Injectable()
export class IntentRecovery {
  constructor(
    @Inject(InventoryClient) private readonly inventory: InventoryClient,
    @Inject(OrderIntentsRepository) private readonly intents: OrderIntentsRepository,
    @Inject(OrdersRepository) private readonly orders: OrdersRepository,
  ) {}

  /** Completes a placement whose stock was taken; undefined: it was not, and never will be under this attempt. */
  async settle(intent: OrderIntent, fault?: string): Promise<StoredAnswer | undefined> {
    const deducted = await this.inventory.giveUp(intent, fault);
    return deducted === undefined ? undefined : this.complete(intent, deducted);
  }

  /** Records the order, unless somebody has. Undefined: there is no such placement any more, and no order of it. */
  async complete(intent: OrderIntent, deducted: DeductedStock): Promise<StoredAnswer | undefined> {
    const rows = ordersOf(intent, deducted);
    const answer = { status: 201, body: bought(intent, rows) };
    const isOurs = await this.intents.bought(intent, rows, answer);
    return isOurs ? answer : this.answerOf(intent);
  }

  /** What the placement came to, if it has come to its end. */
  async answerOf(intent: OrderIntent): Promise<StoredAnswer | undefined> {
    const found = await this.intents.find(intent.id);
    if (found !== undefined) return found.answer;
    const rows = await this.orders.find(intent.id);
    return rows.length === 0 ? undefined : { status: 201, body: bought(intent, rows) };
  }
}
