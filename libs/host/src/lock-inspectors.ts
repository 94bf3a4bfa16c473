import type { SqlLocks } from '#lab/locks';
import {
  DependencyDown,
  type LockFolder,
  type Servers,
  type SteppedEtcd,
  type SteppedRedis,
  type SteppedZooKeeper,
} from '#lab/step';
import { knownStrategies, lockKey, lockKeysOf } from '#lab/strategy';

/** An existing lock. `ttlMs` null: it never expires. */
export interface RemainingLock {
  /** Prefixed with the server's name, except for the lab's own Redis and database: `redis-3 lock:{phone}:redlock`. */
  readonly key: string;
  readonly value: string | null;
  readonly ttlMs: number | null;
}

/** Reads and deletes the locks that strategies keep in one store: a server, a table, a folder. */
export interface LockInspector {
  /** The current locks of a balance in this store. */
  locks(balance: string): Promise<RemainingLock[]>;
  /** Deletes the locks and all other data that strategies keep in this store about the balance. */
  clear(balance: string): Promise<void>;
}

/** Injection token of all inspectors. */
export const LOCK_INSPECTORS = Symbol('lock inspectors');

/** One inspector for each store of this lab. */
export const lockInspectors = (
  redis: SteppedRedis,
  servers: Servers,
  sqlLocks: SqlLocks,
  folder: LockFolder,
): readonly LockInspector[] => [
  new RedisInspector(redis),
  new DatabaseInspector(sqlLocks),
  new DirectoryInspector(folder),
  ...servers.redises.map((server) => new SkippedWhenUnavailable(new RedisInspector(server))),
  ...(servers.components.includes('zookeeper')
    ? [new SkippedWhenUnavailable(new ZooKeeperInspector(servers.zookeeper))]
    : []),
  ...(servers.components.includes('etcd')
    ? [new SkippedWhenUnavailable(new EtcdInspector(servers.etcd))]
    : []),
];

/** A text as a glob pattern of Redis that matches only this text. */
const globOf = (text: string): string => text.replace(/[\\*?[\]]/g, '\\$&');

/** Locks as keys of a Redis. */
class RedisInspector implements LockInspector {
  constructor(private readonly redis: SteppedRedis) {}

  async locks(balance: string): Promise<RemainingLock[]> {
    const keys = knownStrategies().flatMap((strategy) => lockKeysOf(strategy, balance));
    const found = await Promise.all(
      [...keys, ...(await this.prefixedKeys(balance))].map((key) => this.find(key)),
    );
    return found.flat();
  }

  async clear(balance: string): Promise<void> {
    const keys = knownStrategies().flatMap((strategy) => [
      ...lockKeysOf(strategy, balance),
      ...(strategy.keys?.(balance) ?? []),
    ]);
    await this.redis.del([...keys, ...(await this.prefixedKeys(balance))]);
  }

  /** The keys of libraries that put a prefix or a suffix of their own on the name of a lock. */
  private async prefixedKeys(balance: string): Promise<string[]> {
    const found: string[] = [];
    for (const strategy of knownStrategies().filter(({ prefixesKeys }) => prefixesKeys))
      for (const key of lockKeysOf(strategy, balance))
        for await (const some of this.redis.scanStream({ match: `*${globOf(key)}*`, count: 1000 }))
          found.push(...(some as string[]).filter((one) => one !== key));
    return found;
  }

  private async find(key: string): Promise<RemainingLock[]> {
    const ttlMs = await this.redis.pttl(key);
    if (ttlMs === -2) return [];
    const value = await this.contentOf(key);
    const { server } = this.redis;
    return [{ key: server === undefined ? key : `${server} ${key}`, value, ttlMs: ttlMs < 0 ? null : ttlMs }];
  }

  /** A lock is a string; a reentrant one is a hash. */
  private async contentOf(key: string): Promise<string | null> {
    return (await this.redis.type(key)) === 'hash'
      ? JSON.stringify(await this.redis.hgetall(key))
      : this.redis.get(key);
  }
}

/** Locks as rows of the database. A named lock belongs to a session, and ends with it. */
class DatabaseInspector implements LockInspector {
  constructor(private readonly sqlLocks: SqlLocks) {}

  async locks(balance: string): Promise<RemainingLock[]> {
    const rows = await this.sqlLocks.rows.ofBalance(balance);
    return rows.map(({ name, owner, ttlMs }) => ({ key: name, value: owner, ttlMs }));
  }

  clear(balance: string): Promise<void> {
    return this.sqlLocks.clear(balance);
  }
}

/** Locks as nodes of ZooKeeper: the first of each queue holds the lock, until its session ends. */
class ZooKeeperInspector implements LockInspector {
  constructor(private readonly zookeeper: SteppedZooKeeper) {}

  async locks(balance: string): Promise<RemainingLock[]> {
    const { session } = this.zookeeper;
    const found: RemainingLock[] = [];
    for (const path of await this.pathsOf(balance)) {
      const [first] = await session.children(path);
      const holder = await session.get(first === undefined ? path : `${path}/${first}`);
      if (holder?.session !== undefined)
        found.push({
          key: `zookeeper ${path.slice(1)}`,
          value: holder.content,
          ttlMs: this.zookeeper.sessionMs,
        });
    }
    return found;
  }

  async clear(balance: string): Promise<void> {
    const { session } = this.zookeeper;
    for (const path of await this.pathsOf(balance)) {
      for (const name of await session.children(path)) await session.remove(`${path}/${name}`);
      await session.remove(path);
    }
  }

  private async pathsOf(balance: string): Promise<string[]> {
    const names = await this.zookeeper.session.children('/');
    return names.filter((name) => name.startsWith(lockKey(balance, ''))).map((name) => `/${name}`);
  }
}

/** Locks as keys of etcd: the first of each queue holds the lock. */
class EtcdInspector implements LockInspector {
  constructor(private readonly etcd: SteppedEtcd) {}

  async locks(balance: string): Promise<RemainingLock[]> {
    const seen = new Set<string>();
    const found: RemainingLock[] = [];
    for (const { key, value, lease } of await this.etcd.list(lockKey(balance, ''))) {
      const lock = key.slice(0, key.lastIndexOf('/'));
      if (seen.has(lock)) continue;
      seen.add(lock);
      const ttlMs = lease === undefined ? null : ((await this.etcd.timeToLive(lease)) ?? 0);
      found.push({ key: `etcd ${lock}`, value, ttlMs });
    }
    return found;
  }

  clear(balance: string): Promise<void> {
    return this.etcd.deleteAll(lockKey(balance, ''));
  }
}

/** Locks as directories. */
class DirectoryInspector implements LockInspector {
  constructor(private readonly folder: LockFolder) {}

  async locks(balance: string): Promise<RemainingLock[]> {
    return (await this.namesOf(balance)).map((key) => ({ key, value: null, ttlMs: null }));
  }

  async clear(balance: string): Promise<void> {
    for (const name of await this.namesOf(balance)) await this.folder.remove(name);
  }

  private async namesOf(balance: string): Promise<string[]> {
    return (await this.folder.list()).filter((name) => name.startsWith(lockKey(balance, '')));
  }
}

/**
 * Treats an unreachable server as empty: a server that is down on purpose must not block a reset or the other
 * inspectors.
 */
class SkippedWhenUnavailable implements LockInspector {
  constructor(private readonly inspector: LockInspector) {}

  locks(balance: string): Promise<RemainingLock[]> {
    return this.inspector.locks(balance).catch((error: unknown) => unlessUnreachable(error, []));
  }

  clear(balance: string): Promise<void> {
    return this.inspector.clear(balance).catch((error: unknown) => {
      unlessUnreachable(error, undefined);
    });
  }
}

function unlessUnreachable<T>(error: unknown, fallback: T): T {
  if (error instanceof DependencyDown) return fallback;
  throw error;
}
