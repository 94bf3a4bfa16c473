import { ApiChoice, ApiLimit, ChosenStrategy, RequestId, type Chosen } from '#lab/http';
import { Ledger, type MovementRow } from '#lab/balance';
import { SkuParams } from '#lab/shop';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ProductsService, type Product } from './products.service';
import { PageQuery } from './schemas';

@ApiTags('stock')
@Controller('products')
export class ProductsController {
  constructor(
    private readonly products: ProductsService,
    private readonly ledger: Ledger,
  ) {}

  @Get()
  @ApiLimit()
  @ApiOperation({ summary: 'All products with their stock' })
  list(): Promise<Product[]> {
    return this.products.list();
  }

  @Get(':sku')
  @ApiOperation({
    summary: 'One product with its stock, read under the shared lock of the strategy if it has one',
  })
  @ApiChoice()
  @ApiLimit()
  find(
    @Param() { sku }: SkuParams,
    @ChosenStrategy() chosen: Chosen,
    @RequestId() request: string,
  ): Promise<Product> {
    return this.products.findUnder(chosen, sku, request);
  }

  @Get(':sku/movements')
  @ApiLimit('headers')
  @ApiOperation({ summary: 'The movements of a product since its last reset, in the order of their inserts' })
  async movements(@Param() { sku }: SkuParams, @Query() page: PageQuery): Promise<MovementRow[]> {
    await this.ledger.find(sku);
    return this.ledger.movements(sku, page);
  }
}
