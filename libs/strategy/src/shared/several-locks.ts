import { releaseOnError } from './release-on-error';
import type { Lock } from './with-lock';

/** Several locks that are acquired and released as one. */
export interface CombinedLock<L extends Lock = Lock> extends Lock {
  holds(lock: L): boolean;
}

/** Acquires the first lock that is free. */
export const anyOf = <L extends Lock>(locks: readonly L[]): CombinedLock<L> =>
  combine(async (take) => {
    for (const lock of locks) if (await take(lock)) return true;
    return false;
  });

/** Acquires all locks or none. A waiter holds no lock, so that no deadlock is possible. */
export const allOf = <L extends Lock>(locks: readonly L[]): CombinedLock<L> =>
  combine(async (take, releaseAll) => {
    for (const lock of locks) {
      if (await take(lock)) continue;
      await releaseAll();
      return false;
    }
    return true;
  });

function combine<L extends Lock>(
  tryAcquire: (take: (lock: L) => Promise<boolean>, releaseAll: () => Promise<void>) => Promise<boolean>,
): CombinedLock<L> {
  const held = new Set<L>();
  let key = '';
  const take = async (lock: L): Promise<boolean> => {
    key = lock.key; // if it is busy, this is the key that is waited for
    held.add(lock); // before the reply: if that is lost, the lock may be ours
    const isOurs = await lock.tryAcquire();
    if (!isOurs) held.delete(lock);
    return isOurs;
  };
  /** Releases every lock, even if one of the releases fails. */
  const releaseAll = async (): Promise<void> => {
    const released = await Promise.allSettled([...held].map((lock) => lock.release()));
    held.clear();
    const failed = released.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  };
  return {
    get key() {
      return key;
    },
    holds: (lock) => held.has(lock),
    tryAcquire: () => releaseOnError({ release: releaseAll }, () => tryAcquire(take, releaseAll)),
    release: releaseAll,
  };
}
