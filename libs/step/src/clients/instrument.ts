import { instrumentPool, type InstrumentedPool, type MysqlPool, type SessionHooks } from './instrument-mysql';
import { instrumentRedis, type InstrumentedRedis } from './instrument-redis';
import {
  corePool,
  isIoRedis,
  isMysql2,
  isTypeOrm,
  NotInstrumentable,
  refusalOf,
  refuseUnknown,
  type IoRedis,
  type TypeOrm,
} from './recognize';

/** A client of a user whose calls pass the seam. */
export interface Instrumented {
  /** It is an ioredis client. */
  readonly redis?: InstrumentedRedis;
  /** It has a pool of database connections. */
  readonly pool?: InstrumentedPool;
  close(): Promise<unknown>;
}

/**
 * Makes the calls of a client pass the seam: a TypeORM data source, a mysql2 pool, or an ioredis client. Undefined: the value is
 * no client. Throws `NotInstrumentable`.
 */
export async function instrument(
  name: string,
  value: unknown,
  hooks: SessionHooks,
): Promise<Instrumented | undefined> {
  if (isTypeOrm(value)) return instrumentTypeOrm(name, value, hooks);
  if (isMysql2(value)) return instrumentMysql(corePool(value), hooks);
  if (isIoRedis(value)) return instrumentIoRedis(name, value);
  refuseUnknown(name, value);
  return undefined;
}

async function instrumentTypeOrm(name: string, source: TypeOrm, hooks: SessionHooks): Promise<Instrumented> {
  if (!/^(mysql|mariadb)$/.test(source.options.type))
    throw new NotInstrumentable(
      name,
      `its type is ${source.options.type}. Use a data source of MySQL or MariaDB`,
    );
  if (!source.isInitialized) await source.initialize();
  const { pool } = source.driver;
  if (pool === undefined) throw new NotInstrumentable(name, 'it has replicas. Use one server');
  if (!isMysql2(pool))
    throw new NotInstrumentable(
      name,
      "it uses the package mysql. Install mysql2, and set the option connectorPackage: 'mysql2'",
    );
  return { pool: await instrumentPool(corePool(pool), hooks), close: () => source.destroy() };
}

async function instrumentMysql(pool: MysqlPool, hooks: SessionHooks): Promise<Instrumented> {
  return {
    pool: await instrumentPool(pool, hooks),
    close: () =>
      new Promise<void>((resolve) => {
        (pool as unknown as { end(done: () => void): void }).end(() => {
          resolve();
        });
      }),
  };
}

async function instrumentIoRedis(name: string, redis: IoRedis): Promise<Instrumented> {
  if (redis.isCluster) throw refusalOf(name, redis, 'it is a cluster. Use a client of one server');
  if (redis.status === 'wait') await redis.connect();
  else await redis.ping();
  const instrumented = instrumentRedis(redis);
  return {
    redis: instrumented,
    close: () => {
      instrumented.disconnectCopies();
      redis.disconnect();
      return Promise.resolve();
    },
  };
}
