import type { Strategy, Tools } from '../contract';
import { LockNotObtained } from './errors';
import { acquireQueued, releaseToNext, type Notify } from './wait-notify';

export type { Notify };

/** A lock as one request uses it: each request creates its own object. */
export interface Lock {
  readonly key: string;
  /** True: this request holds the lock now. False: another client holds it. */
  tryAcquire(): Promise<boolean>;
  /** Releases the lock. `notify`: how the waiters are notified; a lock without `notifies` ignores it. */
  release(notify?: Notify): Promise<unknown>;
  /** The release notifies waiters: with `wait=notify` they do not poll. */
  readonly notifies?: boolean;
  /** Resolves when the lock may be free, or when `signal` is aborted. Absent: waiters poll every `retryMs`, with jitter. */
  readonly waitForChange?: (signal: AbortSignal) => Promise<void>;
}

/** The tools that a lock needs. */
export type LockTools = Pick<Tools, 'options' | 'clock' | 'process' | 'warn'>;

/** The lock key of a strategy. Each strategy has its own, so that no two strategies share a lock. */
export const lockKey = (balance: string, strategy: string): string => `lock:{${balance}}:${strategy}`;

/** Every lock key that the strategy may use in Redis. */
export const lockKeysOf = ({ name, locks }: Strategy, balance: string): readonly string[] =>
  locks?.(balance) ?? [lockKey(balance, name)];

/** Acquires the lock, runs the section, releases the lock. A failed release never hides the result of the section. */
export async function withLock<T>(lock: Lock, tools: LockTools, section: () => Promise<T>): Promise<T> {
  await acquire(lock, tools);
  try {
    return await section();
  } finally {
    await release(lock, tools);
  }
}

/** Waits at most `waitMs` for the lock, then throws `LockNotObtained`. */
export async function acquire(lock: Lock, tools: LockTools): Promise<void> {
  if (tools.options.wait === 'notify' && lock.notifies === true) await acquireQueued(lock, tools);
  else await poll(lock, tools);
}

/** Releases the lock. A failure becomes a warning: the section has ended, and its result does not change. */
export async function release(
  lock: Lock,
  { warn, process }: Pick<LockTools, 'process' | 'warn'>,
): Promise<void> {
  const attempt = (notify: Notify): Promise<unknown> =>
    lock.release(notify).catch((error: unknown) => {
      warn(`${lock.key} could not be released`, error);
    });
  if (lock.notifies === true) await releaseToNext(lock.key, process, attempt);
  else await attempt('broadcast');
}

async function poll(lock: Lock, { options, clock }: LockTools): Promise<void> {
  const begun = clock.now();
  for (let attempts = 1; ; attempts++) {
    if (await lock.tryAcquire()) return;
    const waited = clock.now() - begun;
    if (waited >= options.waitMs) throw new LockNotObtained(lock.key, attempts, waited);
    const left = options.waitMs - waited;
    if (lock.waitForChange === undefined)
      await clock.sleep(Math.min(jittered(options.retryMs), left), 'WAIT', lock.key);
    else await clock.until(lock.waitForChange, left, lock.key);
  }
}

/** Between half and one and a half times `ms`, so that the waiters' tries spread out. */
const jittered = (ms: number): number => ms * (0.5 + Math.random());
