import type { Ledger } from '#lab/balance';
import { DependencyDown, type LockFolder, type Servers, type SteppedRedis } from '#lab/step';
import { CATALOGUE, lockKey, lockKeysOf } from '#lab/strategy';

/** A lock that is there now. `ttlMs` null: it never ends by itself. */
export interface LockLeft {
  /** Begins with the server's name when that is not the lab's own Redis or database: `redis-3 lock:{phone}:redlock`. */
  readonly key: string;
  readonly value: string | null;
  readonly ttlMs: number | null;
}

/** A server, or a part of one, where strategies keep their locks. */
export interface LockPlace {
  /** The locks of a balance that exist here now. */
  locks(balance: string): Promise<LockLeft[]>;
  /** Deletes them, and whatever else strategies keep here about the balance. */
  clear(balance: string): Promise<void>;
}

/** The token by which they are injected. */
export const LOCK_PLACES = Symbol('lock places');

/** Every place that this lab has. */
export const lockPlaces = (
  redis: SteppedRedis,
  servers: Servers,
  ledger: Ledger,
  folder: LockFolder,
): readonly LockPlace[] => [
  new RedisPlace(redis),
  new RowPlace(ledger),
  new FolderPlace(folder),
  ...servers.redises.map((one) => new LeftOutWhenAway(new RedisPlace(one))),
];

/** The keys of a Redis. */
class RedisPlace implements LockPlace {
  constructor(private readonly redis: SteppedRedis) {}

  async locks(balance: string): Promise<LockLeft[]> {
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

  private async look(key: string): Promise<LockLeft[]> {
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
class RowPlace implements LockPlace {
  constructor(private readonly ledger: Ledger) {}

  async locks(balance: string): Promise<LockLeft[]> {
    const rows = await this.ledger.locks(balance);
    return rows.map(({ name, owner, ttlMs }) => ({ key: name, value: owner, ttlMs }));
  }

  /** They go with the movements, in the transaction that sets the balance anew. */
  clear(): Promise<void> {
    return Promise.resolve();
  }
}

/** Directories. */
class FolderPlace implements LockPlace {
  constructor(private readonly folder: LockFolder) {}

  async locks(balance: string): Promise<LockLeft[]> {
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
class LeftOutWhenAway implements LockPlace {
  constructor(private readonly place: LockPlace) {}

  locks(balance: string): Promise<LockLeft[]> {
    return this.place.locks(balance).catch((error: unknown) => unlessAway(error, []));
  }

  clear(balance: string): Promise<void> {
    return this.place.clear(balance).catch((error: unknown) => {
      unlessAway(error, undefined);
    });
  }
}

function unlessAway<T>(error: unknown, instead: T): T {
  if (error instanceof DependencyDown) return instead;
  throw error;
}
