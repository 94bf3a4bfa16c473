import type { Ledger } from '#lab/balance';
import {
  DependencyDown,
  type LockFolder,
  type Servers,
  type SteppedEtcd,
  type SteppedRedis,
  type SteppedZooKeeper,
} from '#lab/step';
import { CATALOGUE, lockKey, lockKeysOf } from '#lab/strategy';

/** A lock that is there now. `ttlMs` null: it never ends by itself. */
export interface RemainingLock {
  /** Begins with the server's name when that is not the lab's own Redis or database: `redis-3 lock:{phone}:redlock`. */
  readonly key: string;
  readonly value: string | null;
  readonly ttlMs: number | null;
}

/** A server, or a part of one, where strategies keep their locks. */
export interface LockInspector {
  /** The locks of a balance that exist here now. */
  locks(balance: string): Promise<RemainingLock[]>;
  /** Deletes them, and whatever else strategies keep here about the balance. */
  clear(balance: string): Promise<void>;
}

/** The token by which they are injected. */
export const LOCK_INSPECTORS = Symbol('lock shelves');

/** Every shelf that this lab has. */
export const lockInspectors = (
  redis: SteppedRedis,
  servers: Servers,
  ledger: Ledger,
  folder: LockFolder,
): readonly LockInspector[] => [
  new RedisInspector(redis),
  new RowInspector(ledger),
  new DirectoryInspector(folder),
  ...servers.redises.map((one) => new SkippedWhenUnavailable(new RedisInspector(one))),
  ...(servers.components.includes('zookeeper')
    ? [new SkippedWhenUnavailable(new ZooKeeperInspector(servers.zookeeper))]
    : []),
  ...(servers.components.includes('etcd')
    ? [new SkippedWhenUnavailable(new EtcdInspector(servers.etcd))]
    : []),
];

/** The keys of a Redis. */
class RedisInspector implements LockInspector {
  constructor(private readonly redis: SteppedRedis) {}

  async locks(balance: string): Promise<RemainingLock[]> {
    const found = await Promise.all(
      CATALOGUE.flatMap((strategy) => lockKeysOf(strategy, balance)).map((key) => this.look(key)),
    );
    return found.flat();
  }

  async clear(balance: string): Promise<void> {
    await this.redis.del(
      CATALOGUE.flatMap((strategy) => [
        ...lockKeysOf(strategy, balance),
        ...(strategy.keys?.(balance) ?? []),
      ]),
    );
  }

  private async look(key: string): Promise<RemainingLock[]> {
    const ttlMs = await this.redis.pttl(key);
    if (ttlMs === -2) return [];
    const value = await this.contentOf(key);
    const { server } = this.redis;
    return [{ key: server === undefined ? key : `${server} ${key}`, value, ttlMs: ttlMs < 0 ? null : ttlMs }];
  }

  /** A lock is a string, or the hash of a re-entrant one. */
  private async contentOf(key: string): Promise<string | null> {
    return (await this.redis.type(key)) === 'hash'
      ? JSON.stringify(await this.redis.hgetall(key))
      : this.redis.get(key);
  }
}

/** The rows of the database. */
class RowInspector implements LockInspector {
  constructor(private readonly ledger: Ledger) {}

  async locks(balance: string): Promise<RemainingLock[]> {
    const rows = await this.ledger.locks(balance);
    return rows.map(({ name, owner, ttlMs }) => ({ key: name, value: owner, ttlMs }));
  }

  /** They go with the movements, in the transaction that sets the balance anew. */
  clear(): Promise<void> {
    return Promise.resolve();
  }
}

/** The nodes of ZooKeeper: the first of each queue has the lock, and its session has it end. */
class ZooKeeperInspector implements LockInspector {
  constructor(private readonly zookeeper: SteppedZooKeeper) {}

  async locks(balance: string): Promise<RemainingLock[]> {
    const { session } = this.zookeeper;
    const left: RemainingLock[] = [];
    for (const path of await this.pathsOf(balance)) {
      const [first] = await session.children(path);
      const holder = await session.get(first === undefined ? path : `${path}/${first}`);
      if (holder?.session !== undefined)
        left.push({
          key: `zookeeper ${path.slice(1)}`,
          value: holder.content,
          ttlMs: this.zookeeper.sessionMs,
        });
    }
    return left;
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

/** The keys of etcd: the first of each queue has the lock. */
class EtcdInspector implements LockInspector {
  constructor(private readonly etcd: SteppedEtcd) {}

  async locks(balance: string): Promise<RemainingLock[]> {
    const seen = new Set<string>();
    const left: RemainingLock[] = [];
    for (const { key, value, lease } of await this.etcd.list(lockKey(balance, ''))) {
      const lock = key.slice(0, key.lastIndexOf('/'));
      if (seen.has(lock)) continue;
      seen.add(lock);
      const ttlMs = lease === undefined ? null : ((await this.etcd.timeToLive(lease)) ?? 0);
      left.push({ key: `etcd ${lock}`, value, ttlMs });
    }
    return left;
  }

  clear(balance: string): Promise<void> {
    return this.etcd.deleteAll(lockKey(balance, ''));
  }
}

/** Directories. */
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

/** A server that is dead or paused on purpose must not keep anybody from setting a stock anew, or from reading the rest. */
class SkippedWhenUnavailable implements LockInspector {
  constructor(private readonly inspector: LockInspector) {}

  locks(balance: string): Promise<RemainingLock[]> {
    return this.inspector.locks(balance).catch((error: unknown) => unlessAway(error, []));
  }

  clear(balance: string): Promise<void> {
    return this.inspector.clear(balance).catch((error: unknown) => {
      unlessAway(error, undefined);
    });
  }
}

function unlessAway<T>(error: unknown, instead: T): T {
  if (error instanceof DependencyDown) return instead;
  throw error;
}
