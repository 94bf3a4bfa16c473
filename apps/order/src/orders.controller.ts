import { readChosen, Story } from '#lab/http';
import { Body, Controller, Get, Headers, Inject, Post, Query, Req } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiQuery,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { DEFAULT_STRATEGY, OPTION_NAMES } from '#lab/strategy';
import type { FastifyRequest } from 'fastify';
import { ZodValidationPipe } from 'nestjs-zod';
import { type Order, OrdersRepository, type OrderRow } from './orders.repository';
import { OrdersService } from './orders.service';
import { CartBody, OrderBody, orderOrCart, OrdersQuery, type OrderOrCart } from './schemas';

interface Choice {
  readonly options: Readonly<Record<string, unknown>>;
  readonly ignored: readonly string[];
}
type OrderAnswer = Order & Choice;
type Line = Pick<Order, 'sku' | 'quantity' | 'stockAfter'>;
/** A cart that was bought: what its lines share, and the lines. */
type CartAnswer = Omit<Order, keyof Line> & Choice & { readonly lines: readonly Line[] };

@ApiTags('orders')
@Controller('orders')
export class OrdersController {
  constructor(
    @Inject(OrdersService) private readonly service: OrdersService,
    @Inject(OrdersRepository) private readonly orders: OrdersRepository,
    @Inject(Story) private readonly story: Story,
  ) {}

  @Post()
  @ApiOperation({
    summary:
      'Buy one product, or a cart (all or nothing): deducts the stock by the strategy that the request names, then records the order',
  })
  @ApiExtraModels(OrderBody, CartBody)
  @ApiBody({ schema: { oneOf: [OrderBody, CartBody].map((body) => ({ $ref: getSchemaPath(body) })) } })
  @ApiQuery({
    name: 'strategy',
    required: false,
    description: `a name of the catalogue, default ${DEFAULT_STRATEGY}`,
  })
  @ApiQuery({
    name: OPTION_NAMES.join(' | '),
    required: false,
    description: 'options, or as headers: X-Lease-Ms, …',
  })
  @ApiHeader({ name: 'X-Fault', required: false, description: 'obeyed only on the lab address' })
  async place(
    @Body(new ZodValidationPipe(orderOrCart)) body: OrderOrCart,
    @Query() query: Record<string, unknown>,
    @Headers() headers: Record<string, string | undefined>,
    @Req() { id: request }: FastifyRequest,
  ): Promise<OrderAnswer | CartAnswer> {
    const chosen = readChosen(query, headers);
    const fault = headers['x-fault'];
    const faults = this.story.readFaults(fault);
    const placement = { buyer: body.buyer, request, fault };
    const { options, ignored } = chosen;
    if ('lines' in body)
      return {
        ...asCart(await this.service.placeAll(body.lines, placement, chosen, faults)),
        options,
        ignored,
      };
    const { sku, quantity } = body;
    return { ...(await this.service.place({ sku, quantity }, placement, chosen, faults)), options, ignored };
  }

  @Get()
  @ApiOperation({ summary: 'Orders by number, of one product or of all' })
  list(@Query() query: OrdersQuery): Promise<OrderRow[]> {
    return this.orders.list(query);
  }
}

/** Rows of one order as one answer. */
function asCart(rows: readonly Order[]): Omit<CartAnswer, keyof Choice> {
  const [first] = rows;
  if (first === undefined) throw new Error('the inventory deducted no line of the cart');
  const { id, buyer, strategy, request, replica, inventoryReplica } = first;
  const lines = rows.map(({ sku, quantity, stockAfter }) => ({ sku, quantity, stockAfter }));
  return { id, lines, buyer, strategy, request, replica, inventoryReplica };
}
