import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { RedlockClient, type RedlockLock } from '../shared/redlock';
import { lockKey, withLock } from '../shared/with-lock';

export const redlock: Strategy = {
  name: 'redlock',
  mechanism:
    'npm redlock 4.2: SET with a unique value on each of N independent Redis servers. The lock is acquired if a majority grants it in time: the elapsed time and the clock drift are deducted from the lease.',
  defect:
    "Tolerates the loss of a minority: two servers of five, one of three. Two holders occur when a server restarts without its data, when a server's clock jumps, and when the holder is paused in its critical section: no fencing token refuses its write.",
  source:
    'Redis documentation, "Distributed Locks with Redis": the Redlock algorithm; Kleppmann, "How to do distributed locking", 2016.',
  next: { strategy: 'fenced', why: 'makes the database refuse the stale write, and needs one Redis only.' },
  options: ['leaseMs', 'waitMs', 'retryMs', 'workMs'],
  needs: ['redlock'],
  lacks: ['survivesLapse', 'survivesSlowWork', 'noticesLoss'],
  expected: {
    'work-outlives-lease': { must: ['oversold', 'lost-update', 'overlap'], may: [] },
    'paused-before-write': { must: ['overlap', 'lost-update'], may: ['oversold'] },
  },

  apply(change, tools) {
    const { servers, options } = tools;
    const key = lockKey(change.balance, 'redlock');
    const client = new RedlockClient(servers.voters);
    let granted: RedlockLock | undefined;
    const lock = {
      key,
      tryAcquire: async () => {
        granted = await client.tryLock(key, options.leaseMs);
        return granted !== undefined;
      },
      release: async () => granted?.unlock(),
    };
    return withLock(lock, tools, () => readModifyWrite(change, tools));
  },
};
