import { Ledger } from '#lab/balance';
import { BalanceLabController, LabOperations } from '#lab/host';
import { ReconcileBody, ResetBody } from '#lab/shop';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ProductsService, type Product } from './products.service';

/** The result of a reconciliation. */
interface Reconciliation {
  readonly sku: string;
  /** Units by which each strategy's count changed. */
  readonly changed: Readonly<Record<string, number>>;
}

/** Exists only when the lab is enabled; only the lab address routes to it. */
@ApiTags('lab')
@Controller('lab/inventory')
export class LabController extends BalanceLabController {
  constructor(
    lab: LabOperations,
    ledger: Ledger,
    private readonly products: ProductsService,
  ) {
    super(lab, ledger);
  }

  protected balanceOf(sku: string): string {
    return sku;
  }

  @Post('reset')
  @HttpCode(200)
  @ApiOperation({ summary: 'Reset a stock: sets its amount and deletes its movements and locks' })
  async reset(@Body() { sku, stock }: ResetBody): Promise<Product> {
    await this.lab.reset(sku, stock, () => this.products.reset(sku, stock));
    return this.products.find(sku);
  }

  @Post('reconcile')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Reconcile the counts that strategies keep outside of the database with it, after a crash',
  })
  async reconcile(@Body() { sku }: ReconcileBody): Promise<Reconciliation> {
    return { sku, changed: await this.lab.reconcile(sku) };
  }
}
