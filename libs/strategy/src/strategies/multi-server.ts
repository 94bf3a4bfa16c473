import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { releaseIfOwner, run } from '../shared/scripts';
import { lockKey, withLock } from '../shared/with-lock';

export const multiServer: Strategy = {
  name: 'multi-server',
  mechanism:
    'The lock of token-lua on each of N independent Redis, one after the other: all or nothing. At the first no, what was taken is given back.',
  defect:
    'No server may be lost: with one of them down nobody can buy. A voter that restarts without its data does no harm, work that outlives the lease does.',
  source: 'Redisson, RedissonMultiLock.',
  next: 'redlock is content with a majority.',
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
    const giveBack = (servers: readonly Redis[]) =>
      servers.map((redis) => run(redis, releaseIfOwner, key, token));

    const takeAll = async (asked: Redis[]): Promise<boolean> => {
      for (const redis of voters) {
        asked.push(redis); // before the answer: when that is lost, the lock may be there all the same
        if ((await redis.set(key, token, 'PX', leaseMs, 'NX')) !== 'OK') return false;
      }
      return true;
    };

    const lock = {
      key,
      tryAcquire: async () => {
        const asked: Redis[] = [];
        let isOurs = false;
        try {
          isOurs = await takeAll(asked);
          return isOurs;
        } finally {
          if (!isOurs) await Promise.allSettled(giveBack(asked)); // what cannot be given back ends with its lease
        }
      },
      release: () => Promise.all(giveBack(voters)),
    };
    return withLock(lock, tools, () => readModifyWrite(change, tools));
  },
};
