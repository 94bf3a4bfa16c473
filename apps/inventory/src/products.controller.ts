import { ApiChoice, readChosen, SkuParams } from '#lab/http';
import { Ledger, type MovementRow } from '#lab/balance';
import { Controller, Get, Headers, Inject, Param, Query, Req } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { ProductsService, type Product } from './products.service';
import { PageQuery } from './schemas';

@ApiTags('stock')
@Controller('products')
export class ProductsController {
  constructor(
    @Inject(ProductsService) private readonly products: ProductsService,
    @Inject(Ledger) private readonly ledger: Ledger,
  ) {}

  @Get()
  @ApiOperation({ summary: 'All products with their stock' })
  list(): Promise<Product[]> {
    return this.products.list();
  }

  @Get(':sku')
  @ApiOperation({
    summary: 'One product with its stock, read under the shared lock of the strategy if it has one',
  })
  @ApiChoice()
  find(
    @Param() { sku }: SkuParams,
    @Query() query: Record<string, unknown>,
    @Headers() headers: Record<string, string | undefined>,
    @Req() { id: request }: FastifyRequest,
  ): Promise<Product> {
    return this.products.findUnder(readChosen(query, headers), sku, request);
  }

  @Get(':sku/movements')
  @ApiOperation({ summary: 'The movements of a product since its last reset, in the order of their inserts' })
  async movements(@Param() { sku }: SkuParams, @Query() page: PageQuery): Promise<MovementRow[]> {
    await this.ledger.find(sku);
    return this.ledger.movements(sku, page);
  }
}
