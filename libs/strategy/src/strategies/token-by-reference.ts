import { randomUUID } from 'node:crypto';
import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { lockKey, withLock } from '../shared/with-lock';

export const tokenByReference: Strategy = {
  name: 'token-by-reference',
  mechanism: 'SET NX PX with a unique token. To release: GET, compare the two objects by identity, DEL.',
  defect:
    'The reply of Redis is always another object: the lock is never released, and always lasts for its whole lease.',
  source:
    'A published mistake: two Java strings compared with != in the unlock of an article. Here they are Buffers.',
  next: { strategy: 'token-checked', why: 'compares the content.' },
  options: ['leaseMs', 'waitMs', 'retryMs', 'workMs'],
  lacks: ['survivesLapse', 'survivesSlowWork', 'noticesLoss', 'releasesAfterSale'],
  expected: {
    'work-outlives-lease': { must: ['oversold', 'lost-update', 'overlap'], may: [] },
    'paused-before-write': { must: ['overlap', 'lost-update'], may: ['oversold'] },
  },

  apply(change, tools) {
    const { redis, options } = tools;
    const key = lockKey(change.balance, 'token-by-reference');
    const token = Buffer.from(randomUUID());
    const lock = {
      key,
      tryAcquire: async () => (await redis.set(key, token, 'PX', options.leaseMs, 'NX')) === 'OK',
      release: async () => {
        if ((await redis.getBuffer(key)) === token) await redis.del(key);
      },
    };
    return withLock(lock, tools, () => readModifyWrite(change, tools));
  },
};
