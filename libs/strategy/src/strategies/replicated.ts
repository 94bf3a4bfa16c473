import type { Strategy } from '../contract';
import { LockNotReplicated } from '../shared/errors';
import { readModifyWrite } from '../shared/read-modify-write';
import { releaseOnError } from '../shared/release-on-error';
import { tokenLock } from '../shared/token-lock';
import { lockKey, withLock } from '../shared/with-lock';

/** All replicas of the primary, so that any of them can be promoted. */
const REPLICAS = 2;
/** Timeout of WAIT, which blocks the shared connection, and with it the commands of other requests. */
const WAIT_TIMEOUT_MS = 200;

export const replicated: Strategy = {
  name: 'replicated',
  mechanism:
    'The lock of token-lua on a primary, then WAIT until all replicas have it. If one of them does not acknowledge in time, the lock is released.',
  defect:
    'Without the acknowledgment of all replicas, a lagging one could be promoted, which leads to two holders. With it, the lock survives a failover, but not a replica that restarts empty. One paused replica blocks all buyers. WAIT blocks the shared connection, so that the commands behind it may time out: a SET that is executed after its buyer received 503 stays for a lease. It costs one more round trip, and work that outlives the lease still leads to two holders.',
  source: 'Redis documentation, WAIT, and "Redis replication": acknowledged writes may still be lost.',
  next: { strategy: 'redlock', why: 'uses independent servers without replication.' },
  options: ['leaseMs', 'waitMs', 'retryMs', 'workMs'],
  needs: ['replica'],
  lacks: ['survivesLapse', 'survivesSlowWork', 'noticesLoss'],
  expected: {
    'work-outlives-lease': { must: ['oversold', 'lost-update', 'overlap'], may: [] },
    'paused-before-write': { must: ['overlap', 'lost-update'], may: ['oversold'] },
  },

  apply(change, tools) {
    const { primary } = tools.servers;
    const onPrimary = tokenLock(lockKey(change.balance, 'replicated'), { ...tools, redis: primary });
    const { key } = onPrimary;
    const lock = {
      key,
      tryAcquire: async () => {
        if (!(await onPrimary.tryAcquire())) return false;
        const acknowledged = await releaseOnError(onPrimary, () => primary.wait(REPLICAS, WAIT_TIMEOUT_MS));
        if (acknowledged >= REPLICAS) return true;
        await onPrimary.release();
        throw new LockNotReplicated(key, acknowledged, REPLICAS);
      },
      release: () => onPrimary.release(),
    };
    return withLock(lock, tools, () => readModifyWrite(change, tools));
  },
};
