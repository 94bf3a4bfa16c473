import type { Strategy } from '../contract';
import { LockNotReplicated } from '../shared/errors';
import { readModifyWrite } from '../shared/read-modify-write';
import { releaseOnError } from '../shared/release-on-error';
import { tokenLock } from '../shared/token-lock';
import { lockKey, withLock } from '../shared/with-lock';

/** All replicas that the primary has: whichever is promoted knows the lock. */
const REPLICAS = 2;
/** Milliseconds that they have for it. The connection waits too, and so does whoever shares it. */
const PATIENCE_MS = 200;

export const replicated: Strategy = {
  name: 'replicated',
  mechanism:
    'The lock of token-lua on a primary, then WAIT until all replicas have it; given back when one of them does not acknowledge in time.',
  defect:
    'With fewer than all replicas acknowledged, the one that lags may be promoted: two holders. With all of them it survives that failover, not a replica that restarts empty; a replica that stands still keeps everybody out, and as WAIT holds up the shared connection, commands behind it may time out: a SET that is executed after its buyer was told 503 stays for a lease. One more round trip, and work that outlives the lease still has two holders.',
  source: 'Redis documentation, WAIT, and "Redis replication": acknowledged writes may still be lost.',
  next: 'redlock asks servers that do not copy from one another.',
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
        const acknowledged = await releaseOnError(onPrimary, () => primary.wait(REPLICAS, PATIENCE_MS));
        if (acknowledged >= REPLICAS) return true;
        await onPrimary.release();
        throw new LockNotReplicated(key, acknowledged, REPLICAS);
      },
      release: () => onPrimary.release(),
    };
    return withLock(lock, tools, () => readModifyWrite(change, tools));
  },
};
