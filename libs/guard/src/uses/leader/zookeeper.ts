import { withLock } from '#lab/strategy';
import type { Guard } from '../../contract';
import { electedByZooKeeper } from './election-zookeeper';
import { append } from './journal';

export const zookeeper: Guard = {
  name: 'leader/zookeeper',
  mechanism: 'An ephemeral node of ZooKeeper elects the leader; its czxid is the epoch.',
  defect:
    'The server ends the lock of a paused leader, and cannot stop its write: the journal has entries of two leaders.',
  source: 'ZooKeeper Recipes and Solutions, "Leader Election".',
  next: { guard: 'leader/zookeeper-fenced', why: 'lets the journal refuse the older epoch.' },
  options: ['waitMs', 'workMs'],
  needs: ['zookeeper'],
  expected: {
    pause: { must: ['duplicate', 'stale-write'], may: ['overlap'] },
  },

  apply(entry, tools) {
    const election = electedByZooKeeper('zookeeper', tools);
    return withLock(election, tools, async () => append(tools.sql, await election.readEpoch(), entry, tools));
  },
};
