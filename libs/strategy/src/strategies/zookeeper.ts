import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { acquire, lockKey, release } from '../shared/with-lock';
import { joinQueue, removeUntilGone } from '../shared/zookeeper-nodes';

export const zookeeper: Strategy = {
  name: 'zookeeper',
  mechanism:
    'Each client creates an ephemeral sequential node. The lowest sequence number holds the lock; each of the others watches only the node before its own.',
  defect:
    'First come, first served, without a herd effect or a lease to choose; freed when the session of the process ends. A pause longer than the session still leads to two holders: the write is unfenced, although the czxid of the node, the id of the transaction that created it, could serve as a token.',
  source: 'ZooKeeper Recipes and Solutions, "Locks"; Curator, "protection" of a node by a GUID in its name.',
  next: { strategy: 'fenced', why: 'makes the row refuse the older holder; its token could be the czxid.' },
  options: ['waitMs', 'workMs'],
  needs: ['zookeeper'],
  lacks: ['survivesLapse'],
  expected: {
    'paused-before-write': { must: ['overlap', 'lost-update'], may: ['oversold'] },
  },

  async apply(change, tools) {
    const { clock, servers } = tools;
    const { session } = servers.zookeeper; // one per process: its end removes the nodes of all its requests
    const key = lockKey(change.balance, 'zookeeper');
    const node = await joinQueue(session, `/${key}`, change.request, clock);
    let predecessor: string | undefined;
    const lock = {
      key,
      tryAcquire: async () => (predecessor = await session.predecessor(node)) === undefined,
      waitForChange: (signal: AbortSignal) => session.removed(predecessor ?? node, signal),
      release: () => removeUntilGone(session, () => Promise.resolve(node), clock),
    };

    try {
      await acquire(lock, tools);
      return await readModifyWrite(change, tools, session.lost);
    } finally {
      await release(lock, tools); // a waiter that gave up removes its node as well
    }
  },
};
