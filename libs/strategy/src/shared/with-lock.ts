import type { Tools } from '../contract';
import { LockNotObtained } from './errors';

/** A lock as one request sees it. */
export interface Lock {
  readonly key: string;
  /** True when the lock is ours now, false when somebody else has it. */
  tryAcquire(): Promise<boolean>;
  release(): Promise<unknown>;
}

/** What of the tools a lock needs. */
export type LockTools = Pick<Tools, 'options' | 'clock' | 'warn'>;

/** Every strategy has keys of its own, so that no two strategies meet on one key. */
export const lockKey = (balance: string, strategy: string): string => `lock:{${balance}}:${strategy}`;

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
export async function release(lock: Lock, { warn }: Pick<LockTools, 'warn'>): Promise<void> {
  await lock.release().catch((error: unknown) => {
    warn(`${lock.key} could not be released`, error);
  });
}

/** Polls until the lock is ours, at most `waitMs`; then throws `LockNotObtained`. */
export async function acquire(lock: Lock, { options, clock }: LockTools): Promise<void> {
  const begun = clock.now();
  for (let attempts = 1; ; attempts++) {
    if (await lock.tryAcquire()) return;
    const waited = clock.now() - begun;
    if (waited >= options.waitMs) throw new LockNotObtained(lock.key, attempts, waited);
    await clock.sleep(Math.min(jittered(options.retryMs), options.waitMs - waited), 'WAIT', lock.key);
  }
}

/** Between half and one and a half times `ms`, so that waiters do not march in step. */
const jittered = (ms: number): number => ms * (0.5 + Math.random());
