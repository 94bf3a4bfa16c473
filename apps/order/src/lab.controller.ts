import type { Config } from '#lab/config';
import {
  ApiFault,
  problem,
  ProblemError,
  readHistory,
  ResetBody,
  SkuParams,
  RequestRecorder,
} from '#lab/http';
import {
  Body,
  Controller,
  Get,
  Header,
  Headers,
  HttpCode,
  Inject,
  Param,
  Post,
  Req,
  StreamableFile,
} from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { InventoryClient } from './inventory.client';
import { OrdersRepository } from './orders.repository';
import { OrderIntentsRepository } from './order-intents.repository';
import { Reconciler, type Reconciled } from './reconciler';
import { OrderReconcileBody } from './schemas';
import { CONFIG } from './tokens';

/** So long a round that is asked for waits for another one. */
const OTHERS_ROUND_MS = 10_000;

/** Exists only when the lab is enabled, and is routed only by the lab address. */
@ApiTags('lab')
@Controller('lab')
export class LabController {
  constructor(
    @Inject(InventoryClient) private readonly inventory: InventoryClient,
    @Inject(OrdersRepository) private readonly orders: OrdersRepository,
    @Inject(OrderIntentsRepository) private readonly intents: OrderIntentsRepository,
    @Inject(Reconciler) private readonly reconciler: Reconciler,
    @Inject(RequestRecorder) private readonly requests: RequestRecorder,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Post('reset')
  @HttpCode(200)
  @ApiOperation({ summary: 'Set a product anew: its stock, movements, locks and orders' })
  async reset(@Body() { sku, stock }: ResetBody): Promise<unknown> {
    const product = await this.inventory.reset(sku, stock);
    await this.orders.forget(sku);
    await this.intents.forget(sku);
    return product;
  }

  @Post('order/reconcile')
  @HttpCode(200)
  @ApiOperation({
    summary:
      'Bring orders to their end that were left half-way: complete those whose stock was taken, give the others up',
  })
  @ApiFault()
  @ApiResponse({ status: 423, description: 'LOCK.NOT_OBTAINED: another reconciler is at it' })
  reconcile(
    @Body() { silentMs }: OrderReconcileBody,
    @Headers('x-fault') fault: string | undefined,
    @Req() { id: request }: FastifyRequest,
  ): Promise<{ reconciled: readonly Reconciled[] }> {
    const begin = { request, balance: '', delta: 0, strategy: 'reconcile', options: { silentMs } };
    return this.requests.record(begin, this.requests.readFaults(fault), async () => {
      const reconciled = await this.reconciler.reconcile(silentMs, OTHERS_ROUND_MS, fault);
      if (reconciled !== undefined) return { reconciled };
      throw new ProblemError(problem('LOCK.NOT_OBTAINED', 'another reconciler is at it: ask again'));
    });
  }

  @Get('history/:sku')
  @Header('Content-Type', 'application/jsonl')
  @ApiOperation({
    summary:
      'What was recorded of a product since its last reset: one JSON object per line, of all replicas, by time',
  })
  async history(@Param() { sku }: SkuParams): Promise<StreamableFile> {
    const lines = await readHistory(this.config.historyDir, sku);
    return new StreamableFile(Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')));
  }
}
