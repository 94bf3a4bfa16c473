import { acquireWithFence, lockKey, releaseIfOwner, run, type Lock } from '#lab/strategy';
import { randomUUID } from 'node:crypto';
import type { GuardTools } from '../../contract';
import { EPOCHS } from './journal';

/** A lease in Redis. Each election has an epoch that is greater than that of every earlier leader. */
export interface Election extends Lock {
  /** 0 until the election is won. */
  readonly epoch: number;
}

export function electedBy(guard: string, { redis, options }: GuardTools): Election {
  const key = lockKey('journal', guard);
  const owner = randomUUID();
  const election = {
    key,
    epoch: 0,
    tryAcquire: async () => {
      const reply = await run(redis, acquireWithFence, [key, EPOCHS], owner, options.leaseMs);
      election.epoch = Number(reply);
      return election.epoch > 0;
    },
    release: () => run(redis, releaseIfOwner, key, owner),
  };
  return election;
}
