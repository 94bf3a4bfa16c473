import { randomUUID } from 'node:crypto';
import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { lockKey, withLock } from '../shared/with-lock';
import { findOurs, createIfAbsent, removeUntilGone } from '../shared/zookeeper-nodes';

export const zookeeperHerd: Strategy = {
  name: 'zookeeper-herd',
  mechanism: 'The client that creates the one ephemeral node holds the lock; all others watch that node.',
  defect:
    'Behaves like zookeeper under a pause. Every release also wakes all N waiters: N tries, of which one succeeds, in no particular order. N waiters cost N × N calls.',
  source: 'ZooKeeper Recipes and Solutions, "Locks": the herd effect that its queue avoids.',
  next: { strategy: 'zookeeper', why: 'wakes only one waiter: each one watches the node before its own.' },
  options: ['waitMs', 'workMs'],
  needs: ['zookeeper'],
  lacks: ['survivesLapse'],
  expected: {
    'paused-before-write': { must: ['overlap', 'lost-update'], may: ['oversold'] },
  },

  apply(change, tools) {
    const { clock, servers } = tools;
    const { session } = servers.zookeeper;
    const key = lockKey(change.balance, 'zookeeper-herd');
    const path = `/${key}`;
    const token = randomUUID();
    const lock = {
      key,
      tryAcquire: () => createIfAbsent(session, path, token, clock),
      waitForChange: (signal: AbortSignal) => session.removed(path, signal),
      release: () => removeUntilGone(session, () => findOurs(session, path, token), clock),
    };
    return withLock(lock, tools, () => readModifyWrite(change, tools, session.lost));
  },
};
