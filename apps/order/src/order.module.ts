import type { Config } from '#lab/config';
import { HealthController, pingDatabase, ProcessController, READINESS, Story } from '#lab/http';
import { SteppedDataSource } from '#lab/step';
import { Inject, Injectable, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { orderDataSource } from './data-source';
import { InventoryClient } from './inventory.client';
import { LabController } from './lab.controller';
import { OrdersController } from './orders.controller';
import { OrdersRepository } from './orders.repository';
import { OrdersService } from './orders.service';
import { PlacementsRepository } from './placements.repository';
import { Pulse } from './pulse';
import { Reconciler } from './reconciler';
import { Settlement } from './settlement';
import { CONFIG } from './tokens';

/** Closes the connections last, after the requests that use them have finished. */
@Injectable()
class Connections implements OnApplicationShutdown {
  constructor(
    @Inject(SteppedDataSource) private readonly dataSource: SteppedDataSource,
    @Inject(InventoryClient) private readonly inventory: InventoryClient,
    @Inject(Story) private readonly story: Story,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.inventory.close();
    await this.dataSource.destroy();
    this.story.close();
  }
}

@Module({})
class OrderModule {}

export const orderModule = (config: Config): DynamicModule => ({
  module: OrderModule,
  controllers: [
    HealthController,
    OrdersController,
    ...(config.labEnabled ? [LabController, ProcessController] : []),
  ],
  providers: [
    Connections,
    OrdersService,
    OrdersRepository,
    PlacementsRepository,
    Settlement,
    Pulse,
    Reconciler,
    { provide: CONFIG, useValue: config },
    { provide: SteppedDataSource, useFactory: () => orderDataSource(config).initialize() },
    { provide: InventoryClient, useFactory: () => new InventoryClient(config) },
    { provide: Story, useFactory: () => new Story('order', config) },
    {
      provide: READINESS,
      useFactory: (dataSource: SteppedDataSource) => ({ mysql: pingDatabase(dataSource) }),
      inject: [SteppedDataSource],
    },
  ],
});
