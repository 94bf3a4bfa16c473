import { Inject, Injectable } from '@nestjs/common';
import { InventoryClient } from './inventory.client';
import { OrdersRepository } from './orders.repository';
import { bought, ordersOf, type Answer, type Placement, type Taken } from './placement';
import { PlacementsRepository } from './placements.repository';

/**
 * Brings placements to their end, by what the databases say: exactly once, however many try. The inventory decides whether the
 * stock was taken (or never will be), and the row of the placement decides who records the order.
 */
@Injectable()
export class Settlement {
  constructor(
    @Inject(InventoryClient) private readonly inventory: InventoryClient,
    @Inject(PlacementsRepository) private readonly placements: PlacementsRepository,
    @Inject(OrdersRepository) private readonly orders: OrdersRepository,
  ) {}

  /** Completes a placement whose stock was taken; undefined: it was not, and never will be under this attempt. */
  async settle(placement: Placement, fault?: string): Promise<Answer | undefined> {
    const taken = await this.inventory.giveUp(placement, fault);
    return taken === undefined ? undefined : this.complete(placement, taken);
  }

  /** Records the order, unless somebody has. Undefined: there is no such placement any more, and no order of it. */
  async complete(placement: Placement, taken: Taken): Promise<Answer | undefined> {
    const rows = ordersOf(placement, taken);
    const answer = { status: 201, body: bought(placement, rows) };
    const isOurs = await this.placements.bought(placement, rows, answer);
    return isOurs ? answer : this.answerOf(placement);
  }

  /** What the placement came to, if it has come to its end. */
  async answerOf(placement: Placement): Promise<Answer | undefined> {
    const found = await this.placements.find(placement.id);
    if (found !== undefined) return found.answer;
    const rows = await this.orders.find(placement.id);
    return rows.length === 0 ? undefined : { status: 201, body: bought(placement, rows) };
  }
}
