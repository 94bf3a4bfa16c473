import { orRelease, type Lock } from './with-lock';

/** Several locks as one. */
export interface SeveralLocks<L extends Lock = Lock> extends Lock {
  holds(lock: L): boolean;
}

/** The first one that is free. */
export const anyOf = <L extends Lock>(locks: readonly L[]): SeveralLocks<L> =>
  several(async (take) => {
    for (const lock of locks) if (await take(lock)) return true;
    return false;
  });

/** All or none: who waits for one of them holds no other, so that nobody waits in a circle. */
export const allOf = <L extends Lock>(locks: readonly L[]): SeveralLocks<L> =>
  several(async (take, giveBack) => {
    for (const lock of locks) {
      if (await take(lock)) continue;
      await giveBack();
      return false;
    }
    return true;
  });

function several<L extends Lock>(
  tryAcquire: (take: (lock: L) => Promise<boolean>, giveBack: () => Promise<void>) => Promise<boolean>,
): SeveralLocks<L> {
  const held = new Set<L>();
  let key = '';
  const take = async (lock: L): Promise<boolean> => {
    key = lock.key; // the one to wait for, if it is busy
    held.add(lock); // when the answer is lost, it may be ours
    const isOurs = await lock.tryAcquire();
    if (!isOurs) held.delete(lock);
    return isOurs;
  };
  /** Each of them, whether or not another one fails. */
  const release = async (): Promise<void> => {
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
    tryAcquire: () => orRelease({ release }, () => tryAcquire(take, release)),
    release,
  };
}
