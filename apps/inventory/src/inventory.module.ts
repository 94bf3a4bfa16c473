import { Balances, Ledger } from '#lab/balance';
import type { Config } from '#lab/config';
import { HealthController, pingDatabase, READINESS, Story } from '#lab/http';
import { LockFolder, Servers, SteppedDataSource, SteppedRedis } from '#lab/step';
import { loadScripts, LocalProcess, RedisNotices } from '#lab/strategy';
import { Inject, Injectable, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { inventoryDataSource } from './data-source';
import { DeductionsController } from './deductions.controller';
import { DeductionsService } from './deductions.service';
import { LabController } from './lab.controller';
import { LOCK_PLACES, lockPlaces } from './lock-places';
import { ProductsController } from './products.controller';
import { ProductsService } from './products.service';
import { Toolbox } from './toolbox';

/** The Redis connection that hears of releases: a connection that has subscribed can do nothing else. */
const SUBSCRIBER = Symbol('subscriber');

/** Closes the connections last, after the requests that still hold locks have finished. */
@Injectable()
class Connections implements OnApplicationShutdown {
  constructor(
    @Inject(SteppedDataSource) private readonly dataSource: SteppedDataSource,
    @Inject(SteppedRedis) private readonly redis: SteppedRedis,
    @Inject(Servers) private readonly servers: Servers,
    @Inject(SUBSCRIBER) private readonly subscriber: SteppedRedis,
    @Inject(Story) private readonly story: Story,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    this.redis.disconnect();
    this.subscriber.disconnect();
    this.servers.disconnect();
    await this.dataSource.destroy();
    this.story.close();
  }
}

async function connectRedis(config: Config): Promise<SteppedRedis> {
  const redis = new SteppedRedis({ url: config.redisUrl, name: config.replica });
  redis.on('ready', () => void loadScripts(redis).catch(() => undefined)); // run() loads what is missing
  await redis.connect().catch(() => undefined); // away now: it goes on trying, and its strategies answer 503
  return redis;
}

async function connectServers(config: Config): Promise<Servers> {
  const servers = new Servers(config.servers, config.replica);
  await servers.connect(loadScripts);
  return servers;
}

async function connectSubscriber(config: Config): Promise<SteppedRedis> {
  const redis = new SteppedRedis({ url: config.redisUrl, name: `${config.replica}-hears` });
  await redis.connect().catch(() => undefined); // as above
  return redis;
}

@Module({})
class InventoryModule {}

export const inventoryModule = (config: Config): DynamicModule => ({
  module: InventoryModule,
  controllers: [
    HealthController,
    ProductsController,
    DeductionsController,
    ...(config.labEnabled ? [LabController] : []),
  ],
  providers: [
    Connections,
    DeductionsService,
    ProductsService,
    Toolbox,
    { provide: SteppedDataSource, useFactory: () => inventoryDataSource(config).initialize() },
    { provide: SteppedRedis, useFactory: () => connectRedis(config) },
    { provide: Servers, useFactory: () => connectServers(config) },
    { provide: LockFolder, useFactory: () => new LockFolder(config.lockDir) },
    { provide: Story, useFactory: () => new Story('inventory', config) },
    { provide: SUBSCRIBER, useFactory: () => connectSubscriber(config) },
    {
      provide: LocalProcess,
      useFactory: (subscriber: SteppedRedis) =>
        new LocalProcess(config.replica, new RedisNotices(subscriber)),
      inject: [SUBSCRIBER],
    },
    {
      provide: Balances,
      useFactory: (dataSource: SteppedDataSource) => new Balances(dataSource),
      inject: [SteppedDataSource],
    },
    {
      provide: Ledger,
      useFactory: (dataSource: SteppedDataSource) => new Ledger(dataSource),
      inject: [SteppedDataSource],
    },
    { provide: LOCK_PLACES, useFactory: lockPlaces, inject: [SteppedRedis, Servers, Ledger, LockFolder] },
    {
      // Redis is not asked: without it the database strategies go on, and the others answer 503
      provide: READINESS,
      useFactory: (dataSource: SteppedDataSource) => ({ mysql: pingDatabase(dataSource) }),
      inject: [SteppedDataSource],
    },
  ],
});
