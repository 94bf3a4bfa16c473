import { valueAfter } from '#lab/balance';
import type { Strategy } from '../contract';

export const forUpdateLate: Strategy = {
  name: 'for-update-late',
  mechanism: 'One transaction: read, check, work, and only then SELECT … FOR UPDATE and write.',
  defect:
    'What is written was computed before the row was locked: two buyers read the same value, and the lock only puts their writes in line.',
  source:
    'The account balance bug of the articles; MySQL Reference Manual, "Locking Reads": read what you will write with the lock.',
  next: 'for-update-plain-read locks first, and then reads.',
  options: ['workMs'],
  lacks: ['exactInOneProcess', 'exactAcrossProcesses', 'survivesLapse', 'survivesSlowWork', 'noticesLoss'],
  expected: {
    'one-replica': { must: ['oversold', 'lost-update'], may: [] },
    replicas: { must: ['oversold', 'lost-update'], may: [] },
  },

  apply: (change, { balances, work }) =>
    balances.transaction(async (tx) => {
      const before = await tx.read(change.balance);
      const after = valueAfter(change, before);
      await work();
      await tx.lockRow(change.balance);
      return tx.write(change, before, after);
    }),
};
