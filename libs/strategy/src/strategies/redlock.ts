import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { RedlockClient, type RedlockLock } from '../shared/redlock';
import { lockKey, withLock } from '../shared/with-lock';

export const redlock: Strategy = {
  name: 'redlock',
  mechanism:
    'npm redlock 4.2: SET with a value of our own on each of N independent Redis; ours if a majority said yes, and soon enough: what the asking took, and the drift of clocks, is taken off the lease.',
  defect:
    "One server may be lost. Two holders when a voter restarts without its data, when a voter's clock jumps, and when the holder stands still in its critical section: there is no fencing token to refuse it.",
  source:
    'Redis documentation, "Distributed Locks with Redis": the Redlock algorithm; Kleppmann, "How to do distributed locking", 2016.',
  next: 'fenced lets the database refuse the stale write, with one Redis.',
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
