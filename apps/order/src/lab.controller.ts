import type { Config } from '#lab/config';
import { readHistory, ResetBody, SkuParams } from '#lab/http';
import { Body, Controller, Get, Header, HttpCode, Inject, Param, Post, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { InventoryClient } from './inventory.client';
import { OrdersRepository } from './orders.repository';

import { CONFIG } from './tokens';

/** Exists only when the lab is enabled, and is routed only by the lab address. */
@ApiTags('lab')
@Controller('lab')
export class LabController {
  constructor(
    @Inject(InventoryClient) private readonly inventory: InventoryClient,
    @Inject(OrdersRepository) private readonly orders: OrdersRepository,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Post('reset')
  @HttpCode(200)
  @ApiOperation({ summary: 'Set a product anew: its stock, movements, locks and orders' })
  async reset(@Body() { sku, stock }: ResetBody): Promise<unknown> {
    const product = await this.inventory.reset(sku, stock);
    await this.orders.forget(sku);
    return product;
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
