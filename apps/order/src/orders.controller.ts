import { readChosen, Story } from '#lab/http';
import { Body, Controller, Get, Headers, Inject, Post, Query, Req } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { DEFAULT_STRATEGY, OPTION_NAMES } from '#lab/strategy';
import type { FastifyRequest } from 'fastify';
import { type Order, OrdersRepository, type OrderRow } from './orders.repository';
import { OrdersService } from './orders.service';
import { OrderBody, OrdersQuery } from './schemas';

type OrderAnswer = Order & {
  readonly options: Readonly<Record<string, unknown>>;
  readonly ignored: readonly string[];
};

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
    summary: 'Buy: deducts the stock by the strategy that the request names, then records the order',
  })
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
    @Body() { sku, quantity, buyer }: OrderBody,
    @Query() query: Record<string, unknown>,
    @Headers() headers: Record<string, string | undefined>,
    @Req() { id: request }: FastifyRequest,
  ): Promise<OrderAnswer> {
    const chosen = readChosen(query, headers);
    const fault = headers['x-fault'];
    const faults = this.story.readFaults(fault);
    const order = await this.service.place({ sku, quantity, buyer, request, fault }, chosen, faults);
    return { ...order, options: chosen.options, ignored: chosen.ignored };
  }

  @Get()
  @ApiOperation({ summary: 'Orders by number, of one product or of all' })
  list(@Query() query: OrdersQuery): Promise<OrderRow[]> {
    return this.orders.list(query);
  }
}
