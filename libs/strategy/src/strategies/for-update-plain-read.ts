import { valueAfter } from '#lab/balance';
import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';

export const forUpdatePlainRead: Strategy = {
  name: 'for-update-plain-read',
  mechanism:
    'One transaction: a first look spares the lock when all is sold; SELECT id … FOR UPDATE; then a plain SELECT of the stock, check and write.',
  defect:
    "Under REPEATABLE READ a plain SELECT answers from the snapshot that the transaction's first plain SELECT made, however long the row lock was waited for.",
  source: 'MySQL Reference Manual, "Consistent Nonlocking Reads".',
  next: 'for-update takes the value from the locking read itself.',
  options: ['workMs'],
  lacks: ['exactInOneProcess', 'exactAcrossProcesses', 'survivesLapse', 'survivesSlowWork', 'noticesLoss'],
  expected: {
    'one-replica': { must: ['oversold', 'lost-update'], may: [] },
    replicas: { must: ['oversold', 'lost-update'], may: [] },
  },

  apply: (change, tools) =>
    tools.balances.transaction(async (tx) => {
      valueAfter(change, await tx.read(change.balance));
      await tx.lockRow(change.balance);
      return readModifyWrite(change, { ...tools, balances: tx });
    }),
};
