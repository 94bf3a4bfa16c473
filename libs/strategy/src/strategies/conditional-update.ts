import type { Movement } from '#lab/balance';
import type { CartStrategy } from '../contract';
import { sortedByBalance } from '../shared/carts';

export const conditionalUpdate: CartStrategy = {
  name: 'conditional-update',
  mechanism:
    'UPDATE … SET stock = stock - n WHERE stock >= n: the database checks and writes in one statement.',
  defect: 'Correct, as long as the rule fits into one WHERE clause.',
  source: 'The last step of the articles on overselling; MySQL Reference Manual, "UPDATE".',
  next: { strategy: 'fenced', why: 'also protects rules that do not fit into one statement.' },
  options: ['workMs'],
  lacks: [],
  expected: {},

  async apply(change, { balances, work }) {
    await work();
    return balances.writeIfEnough(change);
  },

  async applyAll(cart, { balances, work }) {
    await work();
    return balances.transaction(async (tx) => {
      const movements: Movement[] = [];
      for (const change of sortedByBalance(cart)) movements.push(await tx.writeIfEnough(change));
      return movements;
    });
  },
};
