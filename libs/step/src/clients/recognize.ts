import type { Redis } from 'ioredis';
import type { MysqlPool } from './instrument-mysql';

/** The parts of a TypeORM data source that are used here, of any of its versions. */
export interface TypeOrm {
  readonly isInitialized: boolean;
  readonly options: { readonly type: string };
  readonly driver: { readonly pool?: unknown };
  initialize(): Promise<unknown>;
  destroy(): Promise<unknown>;
}

/** A pool of mysql2, or of mysql2/promise around one. */
export type MysqlClient = MysqlPool | { readonly pool: MysqlPool };

/** An ioredis client of one server, or of a cluster. */
export type IoRedis = Redis & { readonly isCluster?: boolean };

/** A client cannot be observed, and the message says what to use instead. */
export class NotInstrumentable extends Error {
  readonly code = 'KIT.CLIENT';

  constructor(name: string, why: string) {
    super(`the client "${name}" cannot be observed: ${why}`);
    this.name = 'NotInstrumentable';
  }
}

const isObject = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';

const has = (value: unknown, ...names: readonly string[]): boolean =>
  isObject(value) && names.every((name) => name in value);

const partOf = (value: unknown, name: string): unknown =>
  isObject(value) ? (value as Record<string, unknown>)[name] : undefined;

// Recognized by their methods, because the caller's packages may be other copies than ours.

export const isTypeOrm = (value: unknown): value is TypeOrm => has(value, 'createQueryRunner', 'initialize');

const isPool = (value: unknown): boolean => has(value, 'getConnection', 'end');

export const isMysql2 = (value: unknown): value is MysqlClient =>
  isPool(value) && has(partOf(value, 'pool') ?? value, 'config', 'promise');

/** The pool with callbacks. */
export const corePool = (client: MysqlClient): MysqlPool => ('pool' in client ? client.pool : client);

export const isIoRedis = (value: unknown): value is IoRedis =>
  has(value, 'sendCommand', 'duplicate', 'scriptsSet');

const OF_ITS_OWN = 'it opens connections of its own. Use TypeORM, or a pool of mysql2';

/** Other clients, and why they cannot be observed. */
const REFUSED: readonly (readonly [is: (value: unknown) => boolean, why: string])[] = [
  [
    isPool,
    'it is a pool of the package "mysql" or "mariadb", or a pool cluster. Use createPool of the package mysql2',
  ],
  [
    (value) => has(value, 'addCommand') || has(value, 'changeUser', 'query'),
    'a single connection ends with its process. Use createPool of the package mysql2',
  ],
  [(value) => has(value, 'sendCommand', 'isOpen'), 'it is of the package "redis". Use ioredis'],
  [
    (value) => typeof value === 'function' && has(partOf(value, 'client'), 'acquireConnection'),
    `it is Knex: ${OF_ITS_OWN}`,
  ],
  [(value) => has(value, 'connectionManager', 'getQueryInterface'), `it is Sequelize: ${OF_ITS_OWN}`],
  [(value) => has(value, '$connect', '$transaction'), `it is Prisma: ${OF_ITS_OWN}`],
];

/** Undefined: it can be observed, or it is no client. */
const whyRefused = (value: unknown): string | undefined => REFUSED.find(([is]) => is(value))?.[1];

/** @throws NotInstrumentable when the value is a client that cannot be observed. */
export function refuseUnknown(name: string, value: unknown): void {
  const why = whyRefused(value);
  if (why !== undefined) throw refusalOf(name, value as object, why);
}

/** Closes the client, which would keep the process of a test alive. */
export function refusalOf(name: string, client: object, why: string): NotInstrumentable {
  const close = ['destroy', 'disconnect', 'end', 'close']
    .map((method) => partOf(client, method))
    .find((method) => typeof method === 'function');
  new Promise((resolve) => {
    resolve(close?.call(client));
  }).catch(() => undefined); // the refusal says more
  return new NotInstrumentable(name, why);
}

const isObservable = (value: unknown): value is TypeOrm | MysqlClient | IoRedis =>
  isTypeOrm(value) || isMysql2(value) || isIoRedis(value);

/** Is the same of a client and of a wrapper around it: mysql2/promise has one, and so has BullMQ. */
function identityOf(client: TypeOrm | MysqlClient | IoRedis): object {
  if (isTypeOrm(client)) return client;
  return isMysql2(client) ? corePool(client).config : client.options;
}

/** How deep in an object a client is looked for. */
const MAX_DEPTH = 4;
/** A bound for objects such as a large list of rows. */
const MAX_OBJECTS = 10_000;

/**
 * Looks for a client inside of the values that are none, such as a service or a repository. One that is none of the values
 * themselves would not be observed.
 *
 * @throws NotInstrumentable with the path of the client.
 */
export function refuseHidden(values: object): void {
  const observed = Object.values(values).filter(isObservable);
  const known = new Set(observed.flatMap((client) => [identityOf(client), ...poolsIn(client)]));
  const visited = new Set<unknown>(observed);
  const queue = propertiesOf(values).map(([path, value]) => ({ path, value, depth: 1 }));
  for (const { path, value, depth } of queue) {
    if (!isObject(value) || visited.has(value) || visited.size > MAX_OBJECTS) continue;
    visited.add(value);
    if (isObservable(value)) {
      if (!known.has(identityOf(value)))
        throw refusalOf(
          path,
          value,
          'return it from connect itself, at the top level, and build the rest on it',
        );
      continue;
    }
    refuseUnknown(path, value);
    if (depth < MAX_DEPTH)
      for (const [name, part] of propertiesOf(value))
        queue.push({ path: `${path}.${name}`, value: part, depth: depth + 1 });
  }
}

/** The pool of a TypeORM data source is observed with it. */
const poolsIn = (client: object): readonly object[] => {
  const pool = isTypeOrm(client) ? client.driver.pool : undefined;
  return isMysql2(pool) ? [identityOf(pool)] : [];
};

/** Without those that are computed: a getter may do anything. */
const propertiesOf = (value: object): readonly (readonly [name: string, value: unknown])[] =>
  ArrayBuffer.isView(value)
    ? []
    : Object.entries(Object.getOwnPropertyDescriptors(value)).flatMap(
        ([name, { enumerable, value: part }]) =>
          enumerable === true ? [[name, part as unknown] as const] : [],
      );
