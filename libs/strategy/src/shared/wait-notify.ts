import type { Clock } from '#lab/step';
import type { Options } from '../options';
import { LockNotObtained } from './errors';
import type { WaitQueues } from './wait-queues';

/**
 * What a release does for the waiters. `broadcast`: it publishes that the lock is free. `hand-over`: it publishes nothing,
 * because the next waiter of the same process tries right behind it, on the same connection. This saves half a round trip.
 */
export type Notify = 'broadcast' | 'hand-over';

interface Waiting {
  readonly options: Options;
  readonly clock: Clock;
  readonly process: { readonly waitQueues: WaitQueues };
}

/**
 * Acquires the lock in the order of the process's queue: subscribes, tries again, and only then waits for a message, so
 * that a release in between is not missed. A dead holder publishes nothing; therefore each wait ends after one lease.
 */
export async function acquireQueued(
  lock: { readonly key: string; tryAcquire(): Promise<boolean> },
  { options, clock, process }: Waiting,
): Promise<void> {
  const begun = clock.now();
  const waiter = process.waitQueues.join(lock.key);
  let attempts = 0;
  try {
    // behind other waiters of this process the first try is left out
    for (let tries = waiter.isFirst || options.waitMs === 0; ; tries = true) {
      waiter.event.consume();
      if (tries) {
        attempts++;
        if (await lock.tryAcquire()) break;
      }
      const waited = clock.now() - begun;
      if (waited >= options.waitMs) throw new LockNotObtained(lock.key, attempts, waited);
      if (await waiter.subscribe()) continue;
      await clock.waitFor(waiter.event, Math.min(options.leaseMs, options.waitMs - waited), lock.key);
    }
    waiter.leave();
  } catch (error) {
    waiter.giveUp();
    throw error;
  }
}

/** Releases the lock, and wakes the next waiter of this process without waiting for the reply. */
export async function releaseToNext(
  key: string,
  { waitQueues }: Waiting['process'],
  release: (notify: Notify) => Promise<unknown>,
): Promise<void> {
  const next = waitQueues.takeNextWaiter(key);
  const released = release(next === undefined ? 'broadcast' : 'hand-over');
  next?.event.set(); // its try is sent right behind the release, on the same connection
  await released;
  next?.event.set(); // once more: if the release was delayed, that try was too early
}
