import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';

export const none: Strategy = {
  name: 'none',
  mechanism: 'Read the stock, check it, write the new value, without any lock.',
  defect:
    'Two buyers read the same value, and both write that value minus one: one update is lost, and the stock is oversold.',
  source:
    'The starting point of every article on distributed locks; the "lost update" of Berenson et al., 1995.',
  next: { strategy: 'local-mutex', why: 'excludes the other requests of the same process.' },
  options: ['workMs'],
  lacks: ['exactInOneProcess', 'exactAcrossProcesses', 'survivesLapse', 'survivesSlowWork', 'noticesLoss'],
  expected: {
    'one-replica': { must: ['oversold', 'lost-update'], may: [] },
    replicas: { must: ['oversold', 'lost-update'], may: [] },
  },

  apply: (change, tools) => readModifyWrite(change, tools),
};
