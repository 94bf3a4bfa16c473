import type { EtcdKey } from '#lab/step';
import { randomUUID } from 'node:crypto';
import type { Strategy } from '../contract';
import { Lease } from '../shared/lease';
import { readModifyWrite } from '../shared/read-modify-write';
import { acquire, lockKey, release } from '../shared/with-lock';

export const etcd: Strategy = {
  name: 'etcd',
  mechanism:
    'Each request has a lease and a key that lives as long; the key that was made first has the lock, and each of the others watches only the one before its own.',
  defect:
    'In order, no herd; a timer keeps the lease alive without a limit (work that hangs keeps everybody out), and the loss is known from a local deadline. A pause beyond the lease has two holders all the same: the write is unfenced, though the revision of the key would do as a token.',
  source: 'etcd, client/v3/concurrency: Mutex; etcd documentation, "Lock" and what it does not promise.',
  next: 'fenced lets the row refuse the older holder: its token could be the revision.',
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

    let ours: EtcdKey | undefined;
    let ahead: EtcdKey | undefined;
    const lock = {
      key,
      tryAcquire: async () => {
        ours ??= await store.create(`${key}/${randomUUID()}`, change.request, id);
        ahead = await store.predecessor(ours);
        return ahead === undefined;
      },
      waitForChange: (signal: AbortSignal) =>
        ahead === undefined ? Promise.resolve() : store.removed(ahead, signal),
      release: () => store.revoke(id, key), // the key goes with it; if this fails, with the end of the lease
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
