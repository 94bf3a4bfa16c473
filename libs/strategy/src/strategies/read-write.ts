import { randomUUID } from 'node:crypto';
import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { readersKey, readWriteLock, waitingKey } from '../shared/read-write-lock';
import { withLock } from '../shared/with-lock';

export const readWrite: Strategy = {
  name: 'read-write',
  mechanism:
    'Many readers at a time, or one writer: a set of readers and the name of the writer, updated by Lua scripts. A waiting writer blocks new readers, so that it does not starve.',
  defect:
    'A reader that wants to write would wait for itself; it is refused with an error. A writer that gives up leaves its mark, which refuses new readers for up to one lease. Work that outlives the lease leads to two writers, and oversells.',
  source:
    'Redisson, RReadWriteLock; Courtois, Heymans and Parnas, "Concurrent Control with Readers and Writers", 1971.',
  next: { strategy: 'fenced', why: 'also protects against work that outlives the lease.' },
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
