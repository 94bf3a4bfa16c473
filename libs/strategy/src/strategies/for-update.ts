import { valueAfter } from '#lab/balance';
import type { Strategy } from '../contract';

export const forUpdate: Strategy = {
  name: 'for-update',
  mechanism: 'One transaction: SELECT … FOR UPDATE locks the row, then read, check, write, COMMIT.',
  defect:
    'Correct. Buyers wait in the database, each with a connection; carts dead-lock unless their rows are sorted.',
  source: 'MySQL Reference Manual, "Locking Reads".',
  next: 'optimistic locks nothing, and compares a version when it writes.',
  options: ['workMs'],
  lacks: [],
  expected: {},

  apply: (change, { balances, work }) =>
    balances.transaction(async (tx) => {
      const before = await tx.readForUpdate(change.balance);
      const after = valueAfter(change, before);
      await work();
      return tx.write(change, before, after);
    }),
};
