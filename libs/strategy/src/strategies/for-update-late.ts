import { valueAfter } from '#lab/balance';
import type { Strategy } from '../contract';

export const forUpdateLate: Strategy = {
  name: 'for-update-late',
  mechanism:
    'One transaction reads, checks and works, and only then locks the row by SELECT … FOR UPDATE and writes.',
  defect:
    'The new value is computed before the row is locked: two buyers read the same value, and the lock only serializes their writes.',
  source:
    'The account balance bug of the articles; MySQL Reference Manual, "Locking Reads": read with the lock what you will write.',
  next: { strategy: 'for-update', why: 'locks first, and uses the value of the locking read.' },
  options: ['workMs', 'isolation'],
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
