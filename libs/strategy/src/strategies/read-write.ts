import { randomUUID } from 'node:crypto';
import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { readersKey, readWriteLock, waitingKey } from '../shared/read-write-lock';
import { withLock } from '../shared/with-lock';

export const readWrite: Strategy = {
  name: 'read-write',
  mechanism:
    'Many may read at a time, or one may write: a set of readers and the name of the writer, in Lua. A writer who waits keeps new readers out, so that it gets its turn.',
  defect:
    'A reader who wants to write would wait for itself: refused with an error that says so. Work that outlives the lease has two writers, and oversells.',
  source:
    'Redisson, RReadWriteLock; Courtois, Heymans and Parnas, "Concurrent Control with Readers and Writers", 1971.',
  next: 'fenced closes what sharing does not touch: work that outlives the lease.',
  options: ['leaseMs', 'waitMs', 'retryMs', 'workMs'],
  keys: (balance) => [readersKey(balance), waitingKey(balance)],
  lacks: ['survivesLapse', 'survivesSlowWork', 'noticesLoss'],
  expected: {
    'work-outlives-lease': { must: ['oversold', 'lost-update', 'overlap'], may: [] },
    'paused-before-write': { must: ['overlap', 'lost-update'], may: ['oversold'] },
  },

  apply(change, tools) {
    const { write } = readWriteLock(change.balance, randomUUID(), tools);
    return withLock(write, tools, () => readModifyWrite(change, tools));
  },

  read(balance, tools) {
    const { read } = readWriteLock(balance, randomUUID(), tools);
    return withLock(read, tools, async () => {
      await tools.work();
      return tools.balances.read(balance);
    });
  },
};
