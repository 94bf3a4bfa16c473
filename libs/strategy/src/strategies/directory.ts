import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { lockKey, withLock } from '../shared/with-lock';

export const directory: Strategy = {
  name: 'directory',
  mechanism: 'mkdir acquires the lock: the file system lets only one call succeed. rmdir releases it.',
  defect:
    'Works on one host only: replicas on two machines, or in two containers, have two file systems. The directory of a killed holder is never removed.',
  source: 'The lock directory of shell scripts; POSIX, mkdir(): "shall fail if the named file exists".',
  next: { strategy: 'setnx', why: 'puts the lock where every host sees it: in Redis.' },
  options: ['waitMs', 'retryMs', 'workMs'],
  lacks: ['survivesDeadHolder', 'survivesFailedRelease', 'grantsOneLease'],
  expected: { 'holder-killed': { must: ['stuck'], may: [] }, 'release-fails': { must: ['stuck'], may: [] } },

  apply(change, tools) {
    const { folder } = tools;
    const key = lockKey(change.balance, 'directory');
    const lock = {
      key,
      tryAcquire: () => folder.make(key),
      release: () => folder.remove(key),
    };
    return withLock(lock, tools, () => readModifyWrite(change, tools));
  },
};
