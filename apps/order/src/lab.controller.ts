import type { Config } from '#lab/config';
import {
  ApiFault,
  problem,
  ProblemError,
  readHistory,
  RequestFaults,
  RequestId,
  RequestRecorder,
} from '#lab/http';
import { ResetBody, SkuParams } from '#lab/shop';
import type { Fault } from '#lab/step';
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
  StreamableFile,
} from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { InventoryClient } from './inventory.client';
import { OrdersRepository } from './orders.repository';
import { OrderIntentsRepository } from './order-intents.repository';
import { Reconciler, type Reconciled } from './reconciler';
import { OrderReconcileBody } from './schemas';
import { CONFIG } from './tokens';

/** Maximum time that a requested round waits for a running one, milliseconds. */
const RUNNING_ROUND_MS = 10_000;

/** Exists only when the lab is enabled; only the lab address routes to it. */
@ApiTags('lab')
@Controller('lab')
export class LabController {
  constructor(
    private readonly inventory: InventoryClient,
    private readonly orders: OrdersRepository,
    private readonly intents: OrderIntentsRepository,
    private readonly reconciler: Reconciler,
    private readonly requests: RequestRecorder,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Post('reset')
  @HttpCode(200)
  @ApiOperation({ summary: 'Reset a product: sets its stock and deletes its movements, locks and orders' })
  async reset(@Body() { sku, stock }: ResetBody): Promise<unknown> {
    const product = await this.inventory.reset(sku, stock);
    await this.orders.forget(sku);
    await this.intents.forget(sku);
    return product;
  }

  @Post('order/reconcile')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Settle unfinished orders: complete those whose stock was taken, cancel the others',
  })
  @ApiFault()
  @ApiResponse({ status: 423, description: 'LOCK.NOT_OBTAINED: another reconciler is running' })
  reconcile(
    @Body() { silentMs }: OrderReconcileBody,
    @RequestFaults() faults: readonly Fault[],
    @RequestId() request: string,
    @Headers('x-fault') fault: string | undefined,
  ): Promise<{ reconciled: readonly Reconciled[] }> {
    const begin = { request, balance: '', delta: 0, strategy: 'reconcile', options: { silentMs } };
    return this.requests.record(begin, faults, async () => {
      const reconciled = await this.reconciler.reconcile(silentMs, RUNNING_ROUND_MS, fault);
      if (reconciled !== undefined) return { reconciled };
      throw new ProblemError(problem('LOCK.NOT_OBTAINED', 'another reconciler is running: try again'));
    });
  }

  @Get('history/:sku')
  @Header('Content-Type', 'application/jsonl')
  @ApiOperation({
    summary:
      'The history of a product since its last reset: one JSON object per line, from all replicas, ordered by time. A line of the type `rotated` says that a replica has dropped lines since then',
  })
  async history(@Param() { sku }: SkuParams): Promise<StreamableFile> {
    const lines = await readHistory(this.config.historyDir, sku);
    return new StreamableFile(Buffer.from(lines.map((line) => `${line}\n`).join('')));
  }
}
