import type { Strategy, Tools } from '../contract';
import { LockNotObtained } from './errors';

/** Whom a release tells that the lock is free. `nobody`: the next waiter of this process tries right behind it. */
export type Notify = 'broadcast' | 'hand-off';

/** A lock as one request sees it. */
export interface Lock {
  readonly key: string;
  /** True when the lock is ours now, false when somebody else has it. */
  tryAcquire(): Promise<boolean>;
  /** Tells everybody, unless it says that it can do otherwise and is asked to. */
  release(notify?: Notify): Promise<unknown>;
  /** Its release tells: who has chosen `wait=notify` need not poll. */
  readonly notifies?: boolean;
  /** Resolves when another try is worth while, or `signal` is aborted. Absent: nobody tells, and one polls. */
  readonly waitForChange?: (signal: AbortSignal) => Promise<void>;
}

/** What of the tools a lock needs. */
export type LockTools = Pick<Tools, 'options' | 'clock' | 'process' | 'warn'>;

/** Every strategy has keys of its own, so that no two strategies meet on one key. */
export const lockKey = (balance: string, strategy: string): string => `lock:{${balance}}:${strategy}`;

/** Every lock key that the strategy may have in Redis. */
export const lockKeysOf = ({ name, locks }: Strategy, balance: string): readonly string[] =>
  locks?.(balance) ?? [lockKey(balance, name)];

/** Takes the lock, runs the section, releases. A failed release never hides what the section came to. */
export async function withLock<T>(lock: Lock, tools: LockTools, section: () => Promise<T>): Promise<T> {
  await acquire(lock, tools);
  try {
    return await section();
  } finally {
    await release(lock, tools);
  }
}

/** Releases; when that fails, the buyer keeps what the section came to, and `warn` is told. */
export async function release(
  lock: Lock,
  { warn, process }: Pick<LockTools, 'process' | 'warn'>,
): Promise<void> {
  const heir = lock.notifies === true ? process.waiting.nextOf(lock.key) : undefined;
  const released = lock.release(heir === undefined ? 'broadcast' : 'hand-off').catch((error: unknown) => {
    warn(`${lock.key} could not be released`, error);
  });
  heir?.event.set(); // its try goes out right behind the release, on the same connection
  await released;
  heir?.event.set(); // in case the release was held up: then it has tried too early
}

/** What an attempt comes to. When it fails, the lock is given back first: it may be ours, and nobody else would. */
export async function orRelease<T>(lock: Pick<Lock, 'release'>, attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    await lock.release().catch(() => undefined); // the first error says more
    throw error;
  }
}

/** Waits until the lock is ours, at most `waitMs`; then throws `LockNotObtained`. */
export async function acquire(lock: Lock, tools: LockTools): Promise<void> {
  if (tools.options.wait === 'notify' && lock.notifies === true) await acquireInLine(lock, tools);
  else await poll(lock, tools);
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

/** Between half and one and a half times `ms`, so that waiters do not march in step. */
const jittered = (ms: number): number => ms * (0.5 + Math.random());

/**
 * Listens first, then tries again, then waits for news: a release in between is not missed. Whose holder dies hears
 * nothing: nobody waits longer than a lease without a try.
 */
async function acquireInLine(lock: Lock, { options, clock, process }: LockTools): Promise<void> {
  const begun = clock.now();
  const place = process.waiting.enter(lock.key);
  let attempts = 0;
  try {
    // who finds others of its process waiting goes behind them
    for (let tries = place.isFirst || options.waitMs === 0; ; tries = true) {
      place.event.consume();
      if (tries) {
        attempts++;
        if (await lock.tryAcquire()) break;
      }
      const waited = clock.now() - begun;
      if (waited >= options.waitMs) throw new LockNotObtained(lock.key, attempts, waited);
      if (await place.listen()) continue;
      await clock.waitFor(place.event, Math.min(options.leaseMs, options.waitMs - waited), lock.key);
    }
    place.leave();
  } catch (error) {
    place.giveUp();
    throw error;
  }
}
