import { withLock } from '#lab/strategy';
import type { Guard } from '../../contract';
import { electedBy } from './election';
import { append } from './journal';

export const lease: Guard = {
  name: 'leader/lease',
  mechanism:
    'A lease in Redis elects the leader. Each election has an epoch; the leader writes it with its entries.',
  defect:
    'A leader that is paused beyond its lease writes after its successor: two leaders, and the journal accepts both.',
  source: 'Kleppmann, "How to do distributed locking", 2016; leader election by a lease.',
  next: { guard: 'leader/lease-fenced', why: 'lets the journal refuse the older epoch.' },
  options: ['leaseMs', 'waitMs', 'retryMs', 'workMs'],
  expected: {
    lapse: { must: ['duplicate', 'stale-write', 'overlap'] },
    pause: { must: ['duplicate', 'stale-write', 'overlap'] },
  },

  apply(entry, tools) {
    const election = electedBy('lease', tools);
    return withLock(election, tools, () => append(tools.sql, election.epoch, entry, tools));
  },
};
