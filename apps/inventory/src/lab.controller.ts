import { Ledger, type SegmentRow } from '#lab/balance';
import { ReconcileBody, ResetBody, SkuParams, Story } from '#lab/http';
import { Servers, type Component } from '#lab/step';
import { CATALOGUE, DEFAULT_OPTIONS } from '#lab/strategy';
import { Body, Controller, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { LOCK_PLACES, type LockLeft, type LockPlace } from './lock-places';
import { ProductsService, type Product } from './products.service';
import { Toolbox } from './toolbox';

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
    @Inject(Ledger) private readonly ledger: Ledger,
    @Inject(Toolbox) private readonly toolbox: Toolbox,
    @Inject(Servers) private readonly servers: Servers,
    @Inject(LOCK_PLACES) private readonly places: readonly LockPlace[],
    @Inject(Story) private readonly story: Story,
  ) {}

  @Post('reset')
  @HttpCode(200)
  @ApiOperation({ summary: 'Set a stock anew: forgets its movements and deletes its locks' })
  async reset(@Body() { sku, stock }: ResetBody): Promise<Product> {
    await this.products.reset(sku, stock);
    // after the row: a count that is loaded from now on is loaded from the new stock
    await Promise.all(this.places.map((place) => place.clear(sku)));
    this.story.reset(sku, stock);
    return this.products.find(sku);
  }

  @Post('reconcile')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Bring the counts that strategies keep outside of the database together with it, after a crash',
  })
  async reconcile(@Body() { sku }: ReconcileBody): Promise<Reconciliation> {
    await this.products.find(sku);
    const tools = this.toolbox.tools('reconcile', DEFAULT_OPTIONS);
    const changed: Record<string, number> = {};
    for (const { name, reconcile } of CATALOGUE) {
      if (reconcile === undefined) continue;
      changed[name] = await reconcile(sku, tools);
      this.story.reconciled(sku, name, changed[name]);
    }
    return { sku, changed };
  }

  @Get('segments/:sku')
  @ApiOperation({ summary: 'The rows over which the stock of a product is split; none: it is not' })
  segments(@Param() { sku }: SkuParams): Promise<SegmentRow[]> {
    return this.ledger.segments(sku);
  }

  @Get('locks/:sku')
  @ApiOperation({ summary: 'The locks of a product that exist now' })
  async locks(@Param() { sku }: SkuParams): Promise<LockLeft[]> {
    const found = await Promise.all(this.places.map((place) => place.locks(sku)));
    return found.flat();
  }

  @Get('components')
  @ApiOperation({ summary: 'The servers on demand that this lab has' })
  components(): readonly Component[] {
    return this.servers.components;
  }
}
