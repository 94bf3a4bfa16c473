import { Injectable } from '@nestjs/common';
import { InventoryClient } from './inventory.client';
import { OrdersRepository } from './orders.repository';
import { bought, ordersOf, type StoredAnswer, type OrderIntent, type DeductedStock } from './order-intent';
import { OrderIntentsRepository } from './order-intents.repository';

/**
 * Settles an order intent from the state of the databases: exactly once, also when several replicas try at the same time.
 * The inventory's rows show whether the stock was taken, or never will be; the row of the intent admits one attempt
 * that records the order.
 */
@Injectable()
export class IntentRecovery {
  constructor(
    private readonly inventory: InventoryClient,
    private readonly intents: OrderIntentsRepository,
    private readonly orders: OrdersRepository,
  ) {}

  /**
   * Cancels the attempt unless its stock was taken; then completes the order. Undefined: no stock was taken and never will be
   * under this attempt, or the product was reset meanwhile. Throws while it is undecided.
   */
  async settle(intent: OrderIntent, fault?: string): Promise<StoredAnswer | undefined> {
    const deducted = await this.inventory.cancelUnlessDeducted(intent, fault);
    return deducted === undefined ? undefined : this.complete(intent, deducted);
  }

  /** Records the order, unless it is recorded. Undefined: neither the intent nor its order exists any more. */
  async complete(intent: OrderIntent, deducted: DeductedStock): Promise<StoredAnswer | undefined> {
    const rows = ordersOf(intent, deducted);
    const answer = { status: 201, body: bought(intent, rows) };
    const isOurs = await this.intents.bought(intent, rows, answer);
    return isOurs ? answer : this.answerOf(intent);
  }

  /** The result of the intent; undefined: it is not done, or was deleted. */
  async answerOf(intent: OrderIntent): Promise<StoredAnswer | undefined> {
    const found = await this.intents.find(intent.id);
    if (found !== undefined) return found.answer;
    const rows = await this.orders.find(intent.id);
    return rows.length === 0 ? undefined : { status: 201, body: bought(intent, rows) };
  }
}
