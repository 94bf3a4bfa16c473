import { withLock } from '#lab/strategy';
import type { Guard } from '../../contract';
import { whenLockEnds } from '../../shared/expected';
import { electedBy } from './election';
import { appendFenced } from './journal';

export const leaseFenced: Guard = {
  name: 'leader/lease-fenced',
  mechanism:
    'As lease, and the epoch is a fencing token: in the transaction of the entry the leader registers it in a row that refuses older ones.',
  defect:
    'Correct: two leaders occur, and the journal accepts the later one. If the counter of the epochs falls behind the row, all leaders are refused until it has caught up.',
  source: 'Kleppmann, "How to do distributed locking", 2016; the terms of Raft and the epochs of ZAB.',
  next: { why: 'nothing: the journal itself decides.' },
  options: ['leaseMs', 'waitMs', 'retryMs', 'workMs'],
  expected: whenLockEnds(),

  apply(entry, tools) {
    const election = electedBy('lease-fenced', tools);
    return withLock(election, tools, () => appendFenced(election.epoch, entry, tools));
  },
};
