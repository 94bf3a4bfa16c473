import {
  Admission,
  ApiChoice,
  ApiFault,
  ApiLimit,
  ChosenStrategy,
  ProblemError,
  RequestFaults,
  RequestId,
  type Chosen,
  type Problem,
} from '#lab/http';
import type { Fault } from '#lab/step';
import { Body, Controller, Get, Headers, Post, Query, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ZodValidationPipe } from 'nestjs-zod';
import { LONGEST_HEADER, readIdempotencyKey } from './idempotency-key';
import { OrdersRepository, type OrderRow } from './orders.repository';
import { OrdersService } from './orders.service';
import type { OrderRequest } from './order-intent';
import { CartBody, OrderBody, orderOrCart, OrdersQuery, type OrderOrCart } from './schemas';

@ApiTags('orders')
@Controller('orders')
export class OrdersController {
  constructor(
    private readonly service: OrdersService,
    private readonly orders: OrdersRepository,
    private readonly admission: Admission,
  ) {}

  @Post()
  @ApiOperation({
    summary:
      'Buy one product, or a cart (all or nothing): deducts the stock with the chosen strategy, then records the order',
  })
  @ApiExtraModels(OrderBody, CartBody)
  @ApiBody({ schema: { oneOf: [OrderBody, CartBody].map((body) => ({ $ref: getSchemaPath(body) })) } })
  @ApiChoice()
  @ApiLimit()
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    schema: { type: 'string', maxLength: LONGEST_HEADER },
    description:
      'a quoted or bare string of 1 to 128 characters, for instance a UUID: the order is placed once, and for 24 hours a repeated request with the same body, strategy and options gets the same response (draft-ietf-httpapi-idempotency-key-header-07)',
  })
  @ApiFault()
  @ApiResponse({
    status: 201,
    description: 'bought',
    headers: {
      'Idempotency-Replayed': {
        description: 'true: an earlier request with this Idempotency-Key placed the order',
        schema: { type: 'string', enum: ['true'] },
      },
    },
  })
  @ApiResponse({ status: 400, description: 'REQUEST.INVALID, IDEMPOTENCY.INVALID, STRATEGY.UNKNOWN, …' })
  @ApiResponse({
    status: 409,
    description:
      'STOCK.SOLD_OUT; IDEMPOTENCY.IN_PROGRESS, with Retry-After: the first request with this key is still in progress; CHANGE.CLOSED: the order was cancelled meanwhile; conflicts',
  })
  @ApiResponse({
    status: 422,
    description: 'IDEMPOTENCY.REUSED: the key was used for another body, strategy or options',
  })
  async place(
    @Body(new ZodValidationPipe(orderOrCart)) body: OrderOrCart,
    @ChosenStrategy() chosen: Chosen,
    @RequestFaults() faults: readonly Fault[],
    @RequestId() request: string,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Headers('x-fault') fault: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    const context = { request, key: readIdempotencyKey(idempotencyKey), fault, faults };
    const result = await this.admission.run(() => this.service.place(orderRequestOf(body), context, chosen));
    if (result.isReplayed) void reply.header('Idempotency-Replayed', 'true');
    if (result.status !== CREATED) throw new ProblemError(result.body as Problem);
    return result.body;
  }

  @Get()
  @ApiLimit('headers')
  @ApiOperation({ summary: 'Orders of one product or of all, ordered by number' })
  list(@Query() query: OrdersQuery): Promise<OrderRow[]> {
    return this.orders.list(query);
  }
}

const CREATED = 201;

function orderRequestOf(body: OrderOrCart): OrderRequest {
  const { buyer } = body;
  if ('lines' in body) return { buyer, lines: body.lines, isCart: true };
  const { sku, quantity } = body;
  return { buyer, lines: [{ sku, quantity }], isCart: false };
}
