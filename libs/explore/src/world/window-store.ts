import type { StepInfo, SteppedRedis } from '#lab/step';
import type { ActorConnections } from './actor-connections';
import { isRedisWrite, type LockReading, type LockStore } from './lock-stores';
import { readKeys, restoreLeases } from './read-locks';

/** Real time that passes between a command and the reading of its key is below this, milliseconds. */
const GRANULARITY_MS = 10_000;

/**
 * The windows of a rate limiter: its keys in Redis, whose expiry a schedule decides as it decides the end of a lease. A key
 * whose count changes is the same window.
 */
export class WindowStore implements LockStore {
  readonly name = '';
  readonly pipelined = true;
  readonly noun = 'window';

  constructor(
    private readonly admin: SteppedRedis,
    private readonly keys: readonly string[],
  ) {}

  touchedBy(step: StepInfo): boolean {
    return isRedisWrite(step);
  }

  restore(
    { redis }: ActorConnections,
    leases: ReadonlyMap<string, number>,
  ): Promise<ReadonlyMap<string, number>> {
    return restoreLeases(redis, leases);
  }

  async read(
    connections?: ActorConnections,
    before?: Promise<ReadonlyMap<string, number>>,
  ): Promise<readonly LockReading[]> {
    const [found, expiries] = await Promise.all([
      readKeys(connections?.redis ?? this.admin, 'limit:*'),
      before,
    ]);
    return found
      .filter(([key]) => this.keys.includes(key))
      .map(([lock, , ttlMs, expiry]) => ({
        lock,
        content: 'window',
        ttlMs: ttlMs < 0 ? ttlMs : GRANULARITY_MS * Math.round(ttlMs / GRANULARITY_MS),
        isExact: true,
        renewed: expiry !== (expiries?.get(lock) ?? -1),
      }));
  }

  async end(lock: string): Promise<boolean> {
    await this.admin.del(lock);
    return true;
  }

  async clear(): Promise<void> {
    await this.admin.flushdb();
  }
}
