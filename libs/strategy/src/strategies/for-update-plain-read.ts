import { valueAfter } from '#lab/balance';
import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';

export const forUpdatePlainRead: Strategy = {
  name: 'for-update-plain-read',
  mechanism:
    'One transaction: a first SELECT avoids the lock when the stock is sold out; SELECT id … FOR UPDATE locks the row; a plain SELECT then reads the stock to check and write.',
  defect:
    "Under REPEATABLE READ a plain SELECT reads from the snapshot of the transaction's first plain SELECT, however long the transaction has waited for the row lock since.",
  source: 'MySQL Reference Manual, "Consistent Nonlocking Reads".',
  next: { strategy: 'for-update', why: 'uses the value of the locking read itself.' },
  options: ['workMs', 'isolation'],
  lacks: ['exactInOneProcess', 'exactAcrossProcesses', 'survivesLapse', 'survivesSlowWork', 'noticesLoss'],
  expected: {
    'one-replica': { must: ['oversold', 'lost-update'], may: [] },
    replicas: { must: ['oversold', 'lost-update'], may: [] },
  },
  readCommitted: { lacks: [], expected: {} },

  apply: (change, tools) =>
    tools.balances.transaction(async (tx) => {
      valueAfter(change, await tx.read(change.balance));
      await tx.lockRow(change.balance);
      return readModifyWrite(change, { ...tools, balances: tx });
    }),
};
