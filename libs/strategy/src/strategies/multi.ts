import type { CartStrategy } from '../contract';
import { readModifyWriteAll, singleMovement, sortedByBalance } from '../shared/carts';
import { allOf } from '../shared/several-locks';
import { tokenLock } from '../shared/token-lock';
import { lockKey, withLock } from '../shared/with-lock';

export const multi: CartStrategy = {
  name: 'multi',
  mechanism:
    'A cart takes one lock for each of its balances, in sorted order; a try that does not get them all gives back what it got, so that nobody waits while holding, and all leases begin together.',
  defect:
    'No dead-lock; but work that outlives the leases has two holders, and oversells. With many balances a cart pays a round trip for each.',
  source: 'Redisson, MultiLock; Coffman, Elphick and Shoshani, "System Deadlocks", 1971.',
  next: 'One Lua script that takes all keys or none needs no order, as long as all keys are on one server. for-update lets the database sort it out.',
  options: ['leaseMs', 'waitMs', 'retryMs', 'workMs'],
  lacks: ['survivesLapse', 'survivesSlowWork', 'noticesLoss'],
  expected: {
    'work-outlives-lease': { must: ['oversold', 'lost-update', 'overlap'], may: [] },
    'paused-before-write': { must: ['overlap', 'lost-update'], may: ['oversold'] },
  },

  apply: async (change, tools) => singleMovement(await multi.applyAll([change], tools)),

  applyAll(cart, tools) {
    const locks = sortedByBalance(cart).map(({ balance }) => tokenLock(lockKey(balance, 'multi'), tools));
    return withLock(allOf(locks), tools, () => readModifyWriteAll(cart, tools));
  },
};
