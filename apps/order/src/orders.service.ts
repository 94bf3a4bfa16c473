import type { Config } from '#lab/config';
import { cartLine, problem, ProblemError, Story, type Chosen } from '#lab/http';
import type { Fault } from '#lab/step';
import { cartStrategy } from '#lab/strategy';
import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { InventoryClient, type OrderLine } from './inventory.client';
import { OrdersRepository, type Order } from './orders.repository';
import { CONFIG } from './tokens';

export interface Placement {
  readonly buyer: string;
  readonly request: string;
  /** The `x-fault` header, handed on. */
  readonly fault: string | undefined;
}

/** What the inventory deducted of one product. */
type DeductedLine = OrderLine & { readonly after: number };

/** Places orders: the stock first, then the order. */
@Injectable()
export class OrdersService {
  constructor(
    @Inject(InventoryClient) private readonly inventory: InventoryClient,
    @Inject(OrdersRepository) private readonly orders: OrdersRepository,
    @Inject(Story) private readonly story: Story,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** One product. */
  place(line: OrderLine, placement: Placement, chosen: Chosen, faults: readonly Fault[]): Promise<Order> {
    const { request } = placement;
    const { strategy, options } = chosen;
    const begin = { request, balance: line.sku, delta: -line.quantity, strategy: strategy.name, options };
    return this.story.tell(begin, faults, async () => {
      const { after, replica } = await this.inventory.deduct(line, { ...placement, chosen });
      const order = this.order({ ...line, after }, placement, chosen, replica);
      await this.record([order]);
      return order;
    });
  }

  /** Several products, all or nothing. Throws `NoCarts` when the strategy cannot. */
  placeAll(
    lines: readonly OrderLine[],
    placement: Placement,
    chosen: Chosen,
    faults: readonly Fault[],
  ): Promise<readonly Order[]> {
    const { name } = cartStrategy(chosen.strategy);
    const begin = { ...cartLine(placement.request, lines), strategy: name, options: chosen.options };
    return this.story.tell(begin, faults, async () => {
      const deducted = await this.inventory.deductAll(lines, { ...placement, chosen });
      const id = randomUUID();
      const orders = deducted.lines.map((line) => this.order(line, placement, chosen, deducted.replica, id));
      await this.record(orders);
      return orders;
    });
  }

  private order(
    { sku, quantity, after: stockAfter }: DeductedLine,
    { buyer, request }: Placement,
    { strategy }: Chosen,
    inventoryReplica: string,
    id = randomUUID(),
  ): Order {
    const { replica } = this.config;
    return {
      id,
      sku,
      quantity,
      buyer,
      strategy: strategy.name,
      stockAfter,
      request,
      replica,
      inventoryReplica,
    };
  }

  private async record(lines: readonly Order[]): Promise<void> {
    await this.orders.insert(lines).catch((cause: unknown) => {
      const detail = `the stock was deducted, but the order could not be recorded (request ${lines[0]?.request ?? ''}). Do not order again: the verdict lists it as an orphan`;
      throw Object.assign(new ProblemError(problem('OUTCOME_UNKNOWN', detail)), { cause });
    });
  }
}
