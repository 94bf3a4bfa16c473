import { Balances, Ledger } from '#lab/balance';
import type { Config } from '#lab/config';
import {
  connectRedis,
  HealthController,
  LimitGuard,
  READINESS,
  RequestRecorder,
  type RecordedApp,
} from '#lab/http';
import { SqlLocks } from '#lab/locks';
import { LockFolder, Servers, SteppedDataSource, SteppedRedis } from '#lab/step';
import { LocalProcess, RedisPubSub } from '#lab/strategy';
import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { connectServers, connectSubscriber } from './connect';
import { Connections, SUBSCRIBER } from './connections';
import { LabOperations } from './lab';
import { LOCK_INSPECTORS, lockInspectors } from './lock-inspectors';
import { CONFIG } from './tokens';
import { Toolbox } from './toolbox';

/** An app whose replicas run strategies on its own balances. */
export interface HostOptions {
  readonly recorded: RecordedApp;
  /** Its database, with BALANCE_MIGRATIONS, LOCK_MIGRATIONS and the app's own migrations. */
  readonly dataSource: () => SteppedDataSource;
}

@Module({})
class HostModule {}

/** Everything that a replica needs to run strategies: connections, tools, readiness checks, and the lab's operations. */
export function hostModule(config: Config, { recorded, dataSource }: HostOptions): DynamicModule {
  const shared: Provider[] = [
    { provide: SteppedDataSource, useFactory: () => dataSource().initialize() },
    { provide: RequestRecorder, useFactory: () => new RequestRecorder(recorded, config) },
    {
      provide: Ledger,
      useFactory: (source: SteppedDataSource) => new Ledger(source),
      inject: [SteppedDataSource],
    },
    { provide: CONFIG, useValue: config },
    {
      provide: Balances,
      useFactory: (source: SteppedDataSource) => new Balances(source),
      inject: [SteppedDataSource],
    },
    {
      provide: SqlLocks,
      useFactory: (source: SteppedDataSource) => new SqlLocks(source),
      inject: [SteppedDataSource],
    },
    Toolbox,
    LabOperations,
  ];
  return {
    module: HostModule,
    controllers: [HealthController],
    providers: [
      ...shared,
      Connections,
      { provide: SteppedRedis, useFactory: () => connectRedis(config) },
      {
        provide: LimitGuard,
        useFactory: (redis: SteppedRedis, requests: RequestRecorder) => new LimitGuard(redis, requests),
        inject: [SteppedRedis, RequestRecorder],
      },
      { provide: SUBSCRIBER, useFactory: () => connectSubscriber(config) },
      { provide: Servers, useFactory: () => connectServers(config) },
      { provide: LockFolder, useFactory: () => new LockFolder(config.lockDir) },
      {
        provide: LocalProcess,
        useFactory: (subscriber: SteppedRedis) =>
          new LocalProcess(config.replica, new RedisPubSub(subscriber)),
        inject: [SUBSCRIBER],
      },
      {
        provide: LOCK_INSPECTORS,
        useFactory: lockInspectors,
        inject: [SteppedRedis, Servers, SqlLocks, LockFolder],
      },
      {
        // Redis is not checked: without it the database strategies still work, and the others fail with 503
        provide: READINESS,
        useFactory: (source: SteppedDataSource) => ({ mysql: () => source.ping() }),
        inject: [SteppedDataSource],
      },
    ],
    exports: [CONFIG, SteppedDataSource, RequestRecorder, Balances, SqlLocks, Ledger, Toolbox, LabOperations],
  };
}
