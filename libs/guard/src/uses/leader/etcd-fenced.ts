import { withLock } from '#lab/strategy';
import type { Guard } from '../../contract';
import { electedByEtcd } from './election-etcd';
import { appendFenced } from './journal';

export const etcdFenced: Guard = {
  name: 'leader/etcd-fenced',
  mechanism:
    'As leader/etcd, and the leader registers its epoch in a row of the journal, which refuses older ones, in the transaction of its entry.',
  defect:
    'Correct: the server numbers the elections, also across restarts, and the journal refuses the older number.',
  source:
    'Kleppmann, "How to do distributed locking", 2016; etcd documentation, "Why etcd": lease, revision and leader election.',
  next: { why: 'nothing: the journal itself decides.' },
  options: ['leaseMs', 'waitMs', 'workMs'],
  needs: ['etcd'],
  expected: { lapse: { must: [], may: ['overlap'] }, pause: { must: [], may: ['overlap'] } },

  async apply(entry, tools) {
    const election = await electedByEtcd('etcd-fenced', entry, tools);
    return withLock(election, tools, () => appendFenced(election.epoch, entry, tools));
  },
};
