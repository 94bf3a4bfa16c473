import { randomUUID } from 'node:crypto';
import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { lockKey, withLock } from '../shared/with-lock';

export const tokenChecked: Strategy = {
  name: 'token-checked',
  mechanism: 'SET NX PX with a unique token. To release: GET, compare, DEL.',
  defect: "GET and DEL are two commands: if the lease ends between them, DEL removes the next holder's lock.",
  source: 'The "only unlock what you locked" step of the articles.',
  next: { strategy: 'token-lua', why: 'compares and deletes in one atomic script.' },
  options: ['leaseMs', 'waitMs', 'retryMs', 'workMs'],
  lacks: ['survivesLapse', 'survivesSlowWork', 'noticesLoss', 'releasesOnlyItsOwn'],
  expected: {
    'work-outlives-lease': { must: ['oversold', 'lost-update', 'overlap'], may: ['foreign-release'] },
    'paused-before-release': { must: ['foreign-release'], may: ['overlap', 'oversold', 'lost-update'] },
    'paused-before-write': { must: ['overlap', 'lost-update'], may: ['oversold'] },
  },

  apply(change, tools) {
    const { redis, options } = tools;
    const key = lockKey(change.balance, 'token-checked');
    const token = randomUUID();
    const lock = {
      key,
      tryAcquire: async () => (await redis.set(key, token, 'PX', options.leaseMs, 'NX')) === 'OK',
      release: async () => {
        if ((await redis.get(key)) === token) await redis.del(key);
      },
    };
    return withLock(lock, tools, () => readModifyWrite(change, tools));
  },
};
