import type { Redis } from 'ioredis';

export { Mutex as RedisMutex } from 'redis-semaphore';

interface HeldLock {
  unlock(): Promise<unknown>;
  release(): Promise<unknown>;
}

/** The parts that the bench uses of packages whose own types do not compile here. */
export interface PeerModules {
  /** 4.2.0 has `lock`, 5.0.0-beta.2 `acquire` and `using`. */
  readonly redlock: new (
    clients: readonly Redis[],
    settings: { retryCount: number; retryDelay?: number; retryJitter?: number },
  ) => {
    lock(key: string, leaseMs: number): Promise<HeldLock>;
    acquire(keys: readonly string[], leaseMs: number): Promise<HeldLock>;
    using(
      keys: readonly string[],
      leaseMs: number,
      section: (signal: AbortSignal) => Promise<void>,
    ): Promise<void>;
    on(event: 'error', listener: () => void): void;
  };
  readonly 'redlock-beta': { readonly default: PeerModules['redlock'] };
  readonly 'node-redisson': {
    readonly Redisson: new (config: { redis: { options: { host: string; port: number } } }) => {
      getLock(name: string): {
        tryLock(waitMs: bigint, leaseMs: bigint): Promise<boolean>;
        unlock(): Promise<void>;
      };
    };
  };
}
