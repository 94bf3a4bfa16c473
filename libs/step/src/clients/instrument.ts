import type { Redis } from 'ioredis';
import { instrumentPool, type InstrumentedPool, type MysqlPool, type SessionHooks } from './instrument-mysql';
import { instrumentRedis, type InstrumentedRedis } from './instrument-redis';

/** A client of a user whose calls pass the seam. */
export interface Instrumented {
  /** It is an ioredis client. */
  readonly redis?: InstrumentedRedis;
  /** It has a pool of database connections. */
  readonly pool?: InstrumentedPool;
  close(): Promise<unknown>;
}

/** A client cannot be observed, and the message says what to use instead. */
export class NotInstrumentable extends Error {
  readonly code = 'KIT.CLIENT';

  constructor(name: string, why: string) {
    super(`the client "${name}" cannot be observed: ${why}`);
    this.name = 'NotInstrumentable';
  }
}

/** The parts of a TypeORM data source that are used here, of any of its versions. */
interface TypeOrm {
  readonly isInitialized: boolean;
  readonly options: { readonly type: string };
  readonly driver: { readonly pool?: unknown };
  initialize(): Promise<unknown>;
  destroy(): Promise<unknown>;
}

const has = (value: unknown, ...names: readonly string[]): boolean =>
  typeof value === 'object' && value !== null && names.every((name) => name in value);

/**
 * Makes the calls of a client pass the seam: a TypeORM data source, a mysql2 pool, or an ioredis client, recognized by their
 * methods, because the caller's packages may be other copies than ours. Undefined: the value is none of them.
 */
export async function instrument(
  name: string,
  value: unknown,
  hooks: SessionHooks,
): Promise<Instrumented | undefined> {
  if (has(value, 'createQueryRunner', 'initialize')) return instrumentTypeOrm(name, value as TypeOrm, hooks);
  if (has(value, 'getConnection', 'end')) return instrumentMysql(value as MysqlClient, hooks);
  if (has(value, 'sendCommand', 'duplicate', 'scriptsSet'))
    return instrumentIoRedis(name, value as Redis & { readonly isCluster?: boolean });
  if (
    has(value, 'addCommand') ||
    (has(value, 'connection') && has((value as { connection: unknown }).connection, 'addCommand'))
  )
    throw new NotInstrumentable(name, 'a single mysql2 connection ends with its process. Use createPool');
  if (has(value, 'sendCommand', 'isOpen'))
    throw new NotInstrumentable(name, 'it is of the package "redis". Use ioredis');
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
  return { pool: await instrumentPool(pool as MysqlPool, hooks), close: () => source.destroy() };
}

/** A pool of mysql2, or of mysql2/promise around one. */
type MysqlClient = (MysqlPool | { readonly pool: MysqlPool }) & { end(done?: () => void): unknown };

async function instrumentMysql(client: MysqlClient, hooks: SessionHooks): Promise<Instrumented> {
  const pool = 'pool' in client ? client.pool : client;
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

async function instrumentIoRedis(
  name: string,
  redis: Redis & { readonly isCluster?: boolean },
): Promise<Instrumented> {
  if (redis.isCluster) throw new NotInstrumentable(name, 'it is a cluster. Use a client of one server');
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
