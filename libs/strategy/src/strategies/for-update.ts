import { valueAfter, type Movement } from '#lab/balance';
import type { CartStrategy } from '../contract';
import { sortedByBalance } from '../shared/carts';

export const forUpdate: CartStrategy = {
  name: 'for-update',
  mechanism: 'One transaction: SELECT … FOR UPDATE locks and reads the row; then check, write, COMMIT.',
  defect:
    'Correct. Buyers wait in the database, and each occupies a connection. Carts would deadlock if their rows were not locked in sorted order.',
  source: 'MySQL Reference Manual, "Locking Reads".',
  next: { strategy: 'optimistic', why: 'takes no lock, and compares a version when it writes.' },
  options: ['workMs', 'isolation'],
  lacks: [],
  expected: {},

  apply: (change, { balances, work }) =>
    balances.transaction(async (tx) => {
      const before = await tx.readForUpdate(change.balance);
      const after = valueAfter(change, before);
      await work();
      return tx.write(change, before, after);
    }),

  applyAll: (cart, { balances, work }) =>
    balances.transaction(async (tx) => {
      const sales: Movement[] = [];
      for (const change of sortedByBalance(cart)) {
        const before = await tx.readForUpdate(change.balance);
        sales.push({ ...change, before, after: valueAfter(change, before) });
      }
      await work();
      return tx.writeAll(sales);
    }),
};
