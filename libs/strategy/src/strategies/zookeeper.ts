import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { acquire, lockKey, release } from '../shared/with-lock';
import { joinQueue, removeUntilGone } from '../shared/zookeeper-nodes';

export const zookeeper: Strategy = {
  name: 'zookeeper',
  mechanism:
    'Everybody makes an ephemeral node with a number; the lowest number has the lock, and each of the others watches only the node before its own.',
  defect:
    'In order, no herd, no lease to guess, freed when the session of its process ends. A pause beyond the session has two holders all the same: the write is unfenced, though the number of the node (its czxid) would do as a token.',
  source: 'ZooKeeper Recipes and Solutions, "Locks"; Curator, "protection" of a node by a GUID in its name.',
  next: 'fenced lets the row refuse the older holder: its token could be the czxid.',
  options: ['waitMs', 'workMs'],
  needs: ['zookeeper'],
  lacks: ['survivesLapse'],
  expected: {
    'paused-before-write': { must: ['overlap', 'lost-update'], may: ['oversold'] },
  },

  async apply(change, tools) {
    const { clock, servers } = tools;
    const { session } = servers.zookeeper; // one per process: its end takes the nodes of all its requests along
    const key = lockKey(change.balance, 'zookeeper');
    const node = await joinQueue(session, `/${key}`, change.request, clock);
    let ahead: string | undefined;
    const lock = {
      key,
      tryAcquire: async () => (ahead = await session.predecessor(node)) === undefined,
      waitForChange: (signal: AbortSignal) => session.removed(ahead ?? node, signal),
      release: () => removeUntilGone(session, () => Promise.resolve(node), clock),
    };

    try {
      await acquire(lock, tools);
      return await readModifyWrite(change, tools, session.lost);
    } finally {
      await release(lock, tools); // also of who has waited in vain: its place in the queue
    }
  },
};
