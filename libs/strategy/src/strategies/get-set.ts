import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { lockKey, withLock } from '../shared/with-lock';

export const getSet: Strategy = {
  name: 'get-set',
  mechanism: 'GET the key; if it does not exist, SET it to the request id. DEL releases it.',
  defect:
    'Check and acquisition are two commands: two buyers see no key, both SET it, and both enter. The first to finish deletes the lock of the other.',
  source: 'The first attempt at a Redis lock in the articles: "check, then act".',
  next: { strategy: 'setnx', why: 'checks and acquires in one command.' },
  options: ['waitMs', 'retryMs', 'workMs'],
  lacks: [
    'exactInOneProcess',
    'exactAcrossProcesses',
    'survivesDeadHolder',
    'survivesLapse',
    'survivesSlowWork',
    'noticesLoss',
    'releasesOnlyItsOwn',
    'survivesFailedRelease',
    'grantsOneLease',
  ],
  expected: {
    'one-replica': { must: ['oversold', 'lost-update', 'overlap', 'foreign-release'], may: [] },
    replicas: { must: ['oversold', 'lost-update', 'overlap', 'foreign-release'], may: [] },
    'holder-killed': { must: ['stuck'], may: ['oversold', 'lost-update', 'overlap', 'foreign-release'] },
    'release-fails': { must: ['stuck'], may: ['oversold', 'lost-update', 'overlap', 'foreign-release'] },
  },

  apply(change, tools) {
    const { redis } = tools;
    const key = lockKey(change.balance, 'get-set');
    const lock = {
      key,
      tryAcquire: async () => {
        if ((await redis.get(key)) !== null) return false;
        await redis.set(key, change.request);
        return true;
      },
      release: () => redis.del(key),
    };
    return withLock(lock, tools, () => readModifyWrite(change, tools));
  },
};
