import type { Fence } from '#lab/balance';
import { randomUUID } from 'node:crypto';
import type { Tools } from '../contract';
import { acquireWithFence, releaseIfOwner, run } from './scripts';
import { lockKey, type Lock, type Notify } from './with-lock';

/** A lock with a fencing token, greater than the token of every earlier holder (Kleppmann, 2016). */
export interface FencedLock extends Lock, Fence {
  /** 0 until `tryAcquire` succeeds. */
  readonly token: number;
}

/** One counter per balance for all strategies: the row compares the tokens of all of them. */
export const fenceKey = (balance: string): string => `fence:{${balance}}`;

export function fencedLock(
  balance: string,
  strategy: string,
  { redis, options }: Pick<Tools, 'redis' | 'options'>,
): FencedLock {
  const key = lockKey(balance, strategy);
  const owner = randomUUID();
  const lock = {
    key,
    owner,
    token: 0,
    tryAcquire: async () => {
      lock.token = Number(
        await run(redis, acquireWithFence, [key, fenceKey(balance)], owner, options.leaseMs),
      );
      return lock.token > 0;
    },
    release: (notify: Notify) => run(redis, releaseIfOwner, key, owner, notify),
    notifies: true,
  };
  return lock;
}
