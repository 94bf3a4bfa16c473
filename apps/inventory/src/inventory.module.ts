import type { Config } from '#lab/config';
import { hostModule } from '#lab/host';
import { ProcessController } from '#lab/http';
import { SHOP_APPS } from '#lab/shop';
import { Module, type DynamicModule } from '@nestjs/common';
import { inventoryDataSource } from './data-source';
import { DeductionsController } from './deductions.controller';
import { DeductionsService } from './deductions.service';
import { LabController } from './lab.controller';
import { ProductsController } from './products.controller';
import { ProductsService } from './products.service';

@Module({})
class InventoryModule {}

export const inventoryModule = (config: Config): DynamicModule => ({
  module: InventoryModule,
  imports: [
    hostModule(config, {
      recorded: { app: 'inventory', reaches: SHOP_APPS, database: config.inventoryDatabase },
      dataSource: () => inventoryDataSource(config),
    }),
  ],
  controllers: [
    ProductsController,
    DeductionsController,
    ...(config.labEnabled ? [LabController, ProcessController] : []),
  ],
  providers: [DeductionsService, ProductsService],
});
