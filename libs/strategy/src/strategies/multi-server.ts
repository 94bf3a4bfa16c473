import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { releaseIfOwner, run } from '../shared/scripts';
import { lockKey, withLock } from '../shared/with-lock';

export const multiServer: Strategy = {
  name: 'multi-server',
  mechanism:
    'The lock of token-lua on each of N independent Redis servers, one after the other, all or nothing. At the first refusal, the acquired locks are released.',
  defect:
    'Tolerates no failed server: with one of them down no buyer can buy. A server that restarts without its data does no harm; work that outlives the lease oversells.',
  source: 'Redisson, RedissonMultiLock.',
  next: { strategy: 'redlock', why: 'needs only a majority.' },
  options: ['leaseMs', 'waitMs', 'retryMs', 'workMs'],
  needs: ['redlock'],
  lacks: ['survivesLapse', 'survivesSlowWork', 'noticesLoss'],
  expected: {
    'work-outlives-lease': { must: ['oversold', 'lost-update', 'overlap'], may: [] },
    'paused-before-write': { must: ['overlap', 'lost-update'], may: ['oversold'] },
    'server-down': { must: ['unavailable'], may: [] },
  },

  apply(change, tools) {
    const { leaseMs } = tools.options;
    const { voters } = tools.servers;
    const key = lockKey(change.balance, 'multi-server');
    const token = randomUUID();
    const releaseOn = (servers: readonly Redis[]) =>
      servers.map((redis) => run(redis, releaseIfOwner, key, token));

    const acquireAll = async (tried: Redis[]): Promise<boolean> => {
      for (const redis of voters) {
        tried.push(redis); // before the reply: if that is lost, the server may still have the lock
        if ((await redis.set(key, token, 'PX', leaseMs, 'NX')) !== 'OK') return false;
      }
      return true;
    };

    const lock = {
      key,
      tryAcquire: async () => {
        const tried: Redis[] = [];
        let isAcquired = false;
        try {
          isAcquired = await acquireAll(tried);
          return isAcquired;
        } finally {
          if (!isAcquired) await Promise.allSettled(releaseOn(tried)); // a failed release ends with its lease
        }
      },
      release: () => Promise.all(releaseOn(voters)),
    };
    return withLock(lock, tools, () => readModifyWrite(change, tools));
  },
};
