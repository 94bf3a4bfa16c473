import type { Config } from '#lab/config';
import {
  Admission,
  ADMISSION_BOUNDS,
  connectRedis,
  HealthController,
  LimitGuard,
  ProcessController,
  READINESS,
  RequestRecorder,
  type AdmissionBounds,
} from '#lab/http';
import { SHOP_APPS } from '#lab/shop';
import { SteppedDataSource, SteppedRedis } from '#lab/step';
import { Injectable, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { orderDataSource } from './data-source';
import { InventoryClient } from './inventory.client';
import { LabController } from './lab.controller';
import { OrdersController } from './orders.controller';
import { OrdersRepository } from './orders.repository';
import { OrdersService } from './orders.service';
import { OrderIntentsRepository } from './order-intents.repository';
import { Heartbeat } from './heartbeat';
import { Reconciler } from './reconciler';
import { IntentRecovery } from './intent-recovery';
import { CONFIG } from './tokens';

/** An order in the queue, the longest wait for a lock and the longest work together end before nginx gives up. */
const QUEUE_MS = 20_000;

/** Closes the connections after the requests that use them have finished. */
@Injectable()
class Connections implements OnApplicationShutdown {
  constructor(
    private readonly dataSource: SteppedDataSource,
    private readonly redis: SteppedRedis,
    private readonly inventory: InventoryClient,
    private readonly requests: RequestRecorder,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    this.redis.disconnect();
    await this.inventory.close();
    await this.dataSource.destroy();
    this.requests.close();
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
    OrderIntentsRepository,
    IntentRecovery,
    Heartbeat,
    Reconciler,
    { provide: CONFIG, useValue: config },
    Admission,
    {
      provide: ADMISSION_BOUNDS,
      useValue: {
        admitted: config.ordersAtOnce,
        atWork: config.ordersAtWork,
        queueMs: QUEUE_MS,
      } satisfies AdmissionBounds,
    },
    { provide: SteppedDataSource, useFactory: () => orderDataSource(config).initialize() },
    { provide: SteppedRedis, useFactory: () => connectRedis(config) }, // for limits only: orders need no Redis
    {
      provide: LimitGuard,
      useFactory: (redis: SteppedRedis, requests: RequestRecorder) => new LimitGuard(redis, requests),
      inject: [SteppedRedis, RequestRecorder],
    },
    { provide: InventoryClient, useFactory: () => new InventoryClient(config) },
    {
      provide: RequestRecorder,
      useFactory: () =>
        new RequestRecorder({ app: 'order', reaches: SHOP_APPS, database: config.inventoryDatabase }, config),
    },
    {
      provide: READINESS,
      useFactory: (dataSource: SteppedDataSource) => ({ mysql: () => dataSource.ping() }),
      inject: [SteppedDataSource],
    },
  ],
});
