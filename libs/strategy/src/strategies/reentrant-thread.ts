import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { reentrantLock } from '../shared/reentrant-lock';
import { lockKey, withLock } from '../shared/with-lock';

export const reentrantThread: Strategy = {
  name: 'reentrant-thread',
  mechanism:
    'A hash {owner: count}, updated by Lua scripts. The owner is host, process and thread, as in thread-based languages.',
  defect:
    'In Node.js all requests of a replica run in one thread: two buyers are the same owner, the second one "re-enters", and both hold the lock; the last release removes the hold of the other one as well.',
  source: 'Redisson, RLock: the owner is client id and thread id; ported literally.',
  next: { strategy: 'reentrant', why: 'uses one owner per request.' },
  options: ['leaseMs', 'waitMs', 'wait', 'retryMs', 'workMs'],
  lacks: ['exactInOneProcess', 'survivesLapse', 'survivesSlowWork', 'noticesLoss', 'releasesOnlyItsOwn'],
  expected: {
    'one-replica': { must: ['oversold', 'lost-update', 'overlap'], may: ['foreign-release'] },
    replicas: { must: ['oversold', 'lost-update', 'overlap'], may: ['foreign-release'] },
    'work-outlives-lease': { must: ['oversold', 'lost-update', 'overlap'], may: ['foreign-release'] },
  },

  apply(change, tools) {
    const thread = `${tools.process.name}:main`;
    const lock = reentrantLock(lockKey(change.balance, 'reentrant-thread'), thread, tools);
    return withLock(lock, tools, () => readModifyWrite(change, tools));
  },
};
