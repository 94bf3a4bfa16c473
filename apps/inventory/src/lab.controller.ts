import { Ledger } from '#lab/balance';
import { BalanceLabController, LabOperations } from '#lab/host';
import { ReconcileBody, ResetBody } from '#lab/http';
import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
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
export class LabController extends BalanceLabController {
  constructor(
    @Inject(LabOperations) lab: LabOperations,
    @Inject(Ledger) ledger: Ledger,
    @Inject(ProductsService) private readonly products: ProductsService,
  ) {
    super(lab, ledger);
  }

  protected balanceOf(sku: string): string {
    return sku;
  }

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
}
