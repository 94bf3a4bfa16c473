import { Conflict, valueAfter } from '#lab/balance';
import type { Strategy } from '../contract';

export const optimistic: Strategy = {
  name: 'optimistic',
  mechanism:
    'Nobody waits: UPDATE … WHERE version = (the version that was read), and again in a new transaction when that touched no row.',
  defect:
    'Correct if every writer counts the version up. When attempts run out the conflict goes back to the buyer, with stock left.',
  source: 'Kung and Robinson, "On Optimistic Methods for Concurrency Control", 1981; JPA @Version.',
  next: 'conditional-update compares the stock itself, so that there is nothing to repeat.',
  options: ['attempts', 'workMs'],
  lacks: [],
  expected: {},

  async apply(change, { balances, work, options }) {
    for (let attempt = 1; ; attempt++) {
      try {
        // a new transaction each time: within one, REPEATABLE READ would show the old version again and again
        return await balances.transaction(async (tx) => {
          const { amount, version } = await tx.readVersion(change.balance);
          const after = valueAfter(change, amount);
          await work();
          return tx.writeVersion(change, version, amount, after);
        });
      } catch (error) {
        if (!(error instanceof Conflict) || attempt >= options.attempts) throw error;
      }
    }
  },
};
