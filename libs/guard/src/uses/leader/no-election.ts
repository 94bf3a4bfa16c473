import type { Guard } from '../../contract';
import { append } from './journal';

export const noElection: Guard = {
  name: 'leader/no-election',
  mechanism: 'Every replica believes that it is the leader.',
  defect: 'Two replicas write to the same position of the journal.',
  source: 'A hot standby that was started twice.',
  next: { guard: 'leader/lease', why: 'elects one of them for a time.' },
  options: ['workMs'],
  expected: { none: { must: ['duplicate'] } },

  apply: (entry, tools) => append(tools.sql, 0, entry, tools),
};
