import { withLock } from '#lab/strategy';
import type { Guard } from '../../contract';
import { electedByZooKeeper } from './election-zookeeper';
import { appendFenced } from './journal';

export const zookeeperFenced: Guard = {
  name: 'leader/zookeeper-fenced',
  mechanism:
    'As leader/zookeeper, and the leader registers its epoch in a row of the journal, which refuses older ones, in the transaction of its entry.',
  defect:
    'Correct: the server numbers the elections, also across restarts, and the journal refuses the older number.',
  source:
    'Kleppmann, "How to do distributed locking", 2016; ZooKeeper Recipes and Solutions, "Leader Election".',
  next: { why: 'nothing: the journal itself decides.' },
  options: ['waitMs', 'workMs'],
  needs: ['zookeeper'],
  expected: { pause: { must: [], may: ['overlap'] } },

  apply(entry, tools) {
    const election = electedByZooKeeper('zookeeper-fenced', tools);
    return withLock(election, tools, async () => appendFenced(await election.readEpoch(), entry, tools));
  },
};
