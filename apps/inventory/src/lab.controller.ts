import type { SegmentRow } from '#lab/balance';
import { Lab, type LockLeft } from '#lab/host';
import { ReconcileBody, ResetBody, SkuParams } from '#lab/http';
import type { Component } from '#lab/step';
import { Body, Controller, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ProductsService, type Product } from './products.service';

/** What a reconciliation has done. */
interface Reconciliation {
  readonly sku: string;
  /** Units by which each strategy's count has changed. */
  readonly changed: Readonly<Record<string, number>>;
}

/** Exists only when the lab is enabled, and is routed only by the lab address. */
@ApiTags('lab')
@Controller('lab/inventory')
export class LabController {
  constructor(
    @Inject(ProductsService) private readonly products: ProductsService,
    @Inject(Lab) private readonly lab: Lab,
  ) {}

  @Post('reset')
  @HttpCode(200)
  @ApiOperation({ summary: 'Set a stock anew: forgets its movements and deletes its locks' })
  async reset(@Body() { sku, stock }: ResetBody): Promise<Product> {
    await this.lab.reset(sku, stock, () => this.products.reset(sku, stock));
    return this.products.find(sku);
  }

  @Post('reconcile')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Bring the counts that strategies keep outside of the database together with it, after a crash',
  })
  async reconcile(@Body() { sku }: ReconcileBody): Promise<Reconciliation> {
    return { sku, changed: await this.lab.reconcile(sku) };
  }

  @Get('segments/:sku')
  @ApiOperation({ summary: 'The rows over which the stock of a product is split; none: it is not' })
  segments(@Param() { sku }: SkuParams): Promise<SegmentRow[]> {
    return this.lab.segments(sku);
  }

  @Get('locks/:sku')
  @ApiOperation({ summary: 'The locks of a product that exist now' })
  locks(@Param() { sku }: SkuParams): Promise<LockLeft[]> {
    return this.lab.locks(sku);
  }

  @Get('components')
  @ApiOperation({ summary: 'The servers on demand that this lab has' })
  components(): readonly Component[] {
    return this.lab.components;
  }
}
