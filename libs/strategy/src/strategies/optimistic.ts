import { Conflict, valueAfter } from '#lab/balance';
import type { Strategy } from '../contract';

export const optimistic: Strategy = {
  name: 'optimistic',
  mechanism:
    'No lock and no waiting: UPDATE … WHERE version = (the version that was read). If no row matches, it retries in a new transaction.',
  defect:
    'Correct if every writer increments the version. When the attempts are used up, the buyer receives the conflict, although stock is left.',
  source: 'Kung and Robinson, "On Optimistic Methods for Concurrency Control", 1981; JPA @Version.',
  next: { strategy: 'conditional-update', why: 'compares the stock itself, and needs no retry.' },
  options: ['attempts', 'workMs'],
  lacks: [],
  expected: {},

  async apply(change, { balances, work, options }) {
    for (let attempt = 1; ; attempt++) {
      try {
        // a new transaction per attempt: within one, REPEATABLE READ would always return the old version
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
