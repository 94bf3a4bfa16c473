import type { EtcdKey } from '#lab/step';
import { randomUUID } from 'node:crypto';
import type { Strategy } from '../contract';
import { Lease } from '../shared/lease';
import { readModifyWrite } from '../shared/read-modify-write';
import { acquire, lockKey, release } from '../shared/with-lock';

export const etcd: Strategy = {
  name: 'etcd',
  mechanism:
    'Each request has a lease and a key attached to it. The oldest key holds the lock; each of the others watches only the key before its own.',
  defect:
    'First come, first served, without a herd effect. A timer renews the lease without a limit, so that work that hangs blocks all others; a local deadline detects the loss of the lock. A pause longer than the lease still leads to two holders: the write is unfenced, although the revision of the key could serve as a token.',
  source: 'etcd, client/v3/concurrency: Mutex; etcd documentation, "Lock" and its limits.',
  next: {
    strategy: 'fenced',
    why: 'makes the row refuse the older holder; its token could be the revision.',
  },
  options: ['leaseMs', 'waitMs', 'workMs'],
  needs: ['etcd'],
  lacks: ['survivesLapse'],
  expected: {
    'paused-before-write': { must: ['overlap', 'lost-update'], may: ['oversold'] },
  },

  async apply(change, tools) {
    const { clock, options, servers } = tools;
    const store = servers.etcd;
    const key = lockKey(change.balance, 'etcd');
    const lease = new Lease(key, options.leaseMs, clock);
    let id = '';
    await lease.grant(async () => (id = await store.grant(options.leaseMs)) !== '');
    const stop = lease.keep(Infinity, () => store.keepAlive(id, key));

    let own: EtcdKey | undefined;
    let predecessor: EtcdKey | undefined;
    const lock = {
      key,
      tryAcquire: async () => {
        own ??= await store.create(`${key}/${randomUUID()}`, change.request, id);
        predecessor = await store.predecessor(own);
        return predecessor === undefined;
      },
      waitForChange: (signal: AbortSignal) =>
        predecessor === undefined ? Promise.resolve() : store.removed(predecessor, signal),
      release: () => store.revoke(id, key), // removes the key as well; if this fails, both end with the lease
    };
    try {
      await acquire(lock, tools);
      return await readModifyWrite(change, tools, lease.lost);
    } finally {
      stop();
      await release(lock, tools);
    }
  },
};
