import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';

export const localMutex: Strategy = {
  name: 'local-mutex',
  mechanism: 'A mutex in the memory of the process (npm async-mutex) around read, check and write.',
  defect: 'The mutex is not visible to the other replica: exact with one, oversells with two.',
  source: 'The synchronized/Lock step of the articles; npm async-mutex.',
  next: 'directory puts the lock where every process of the host sees it: in the file system.',
  options: ['workMs'],
  lacks: ['exactAcrossProcesses', 'survivesLapse', 'survivesSlowWork', 'noticesLoss'],
  expected: { replicas: { must: ['oversold', 'lost-update'], may: [] } },

  apply: (change, tools) => tools.process.exclusive(change.balance, () => readModifyWrite(change, tools)),
};
