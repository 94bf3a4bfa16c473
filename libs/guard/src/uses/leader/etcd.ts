import { withLock } from '#lab/strategy';
import type { Guard } from '../../contract';
import { electedByEtcd } from './election-etcd';
import { append } from './journal';

export const etcd: Guard = {
  name: 'leader/etcd',
  mechanism: 'The oldest key of a lease in etcd elects the leader; its revision is the epoch.',
  defect:
    'The server ends the lock of a paused leader, and cannot stop its write: the journal has entries of two leaders.',
  source: 'etcd documentation, "Why etcd": lease, revision and leader election.',
  next: { guard: 'leader/etcd-fenced', why: 'lets the journal refuse the older epoch.' },
  options: ['leaseMs', 'waitMs', 'workMs'],
  needs: ['etcd'],
  expected: {
    lapse: { must: ['duplicate', 'stale-write'], may: ['overlap'] },
    pause: { must: ['duplicate', 'stale-write'], may: ['overlap'] },
  },

  async apply(entry, tools) {
    const election = await electedByEtcd('etcd', entry, tools);
    return withLock(election, tools, () => append(tools.sql, election.epoch, entry, tools));
  },
};
