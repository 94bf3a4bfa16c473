import { Balances, Ledger } from '#lab/balance';
import type { Config } from '#lab/config';
import { HealthController, pingDatabase, READINESS, RequestRecorder } from '#lab/http';
import { LockFolder, Servers, SteppedDataSource, SteppedRedis } from '#lab/step';
import { LocalProcess, RedisPubSub } from '#lab/strategy';
import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { connectRedis, connectServers, connectSubscriber } from './connect';
import { Connections, SUBSCRIBER } from './connections';
import { LabOperations } from './lab';
import { LOCK_INSPECTORS, lockInspectors } from './lock-inspectors';
import { CONFIG } from './tokens';
import { Toolbox } from './toolbox';

/** An app whose replicas run strategies on balances of its own. */
export interface HostOptions {
  /** As `x-fault` and the history name it. */
  readonly app: 'inventory' | 'account';
  /** The schema of its balances: BALANCE_MIGRATIONS and the app's own. */
  readonly dataSource: () => SteppedDataSource;
}

@Module({})
class HostModule {}

/** Everything that a replica needs to run strategies: connections, tools, readiness, and what the lab may look at. */
export function hostModule(config: Config, { app, dataSource }: HostOptions): DynamicModule {
  const shared: Provider[] = [
    { provide: SteppedDataSource, useFactory: () => dataSource().initialize() },
    { provide: RequestRecorder, useFactory: () => new RequestRecorder(app, config) },
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
        inject: [SteppedRedis, Servers, Ledger, LockFolder],
      },
      {
        // Redis is not asked: without it the database strategies go on, and the others answer 503
        provide: READINESS,
        useFactory: (source: SteppedDataSource) => ({ mysql: pingDatabase(source) }),
        inject: [SteppedDataSource],
      },
    ],
    exports: [CONFIG, SteppedDataSource, RequestRecorder, Balances, Ledger, Toolbox, LabOperations],
  };
}
