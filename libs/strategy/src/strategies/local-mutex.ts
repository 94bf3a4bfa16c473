import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';

export const localMutex: Strategy = {
  name: 'local-mutex',
  mechanism: 'A mutex in the memory of the process (npm async-mutex) around read, check and write.',
  defect: 'The mutex is invisible to other replicas: exact with one replica, oversells with two.',
  source: 'The synchronized/Lock step of the articles; npm async-mutex.',
  next: { strategy: 'setnx', why: 'puts the lock on a server, where every replica sees it.' },
  options: ['workMs'],
  lacks: ['exactAcrossProcesses', 'survivesLapse', 'survivesSlowWork', 'noticesLoss'],
  expected: { replicas: { must: ['oversold', 'lost-update'], may: [] } },

  apply: (change, tools) => tools.process.exclusive(change.balance, () => readModifyWrite(change, tools)),
};
