import type { CartStrategy } from '../contract';
import { readModifyWriteAll, singleMovement, sortedByBalance } from '../shared/carts';
import { allOf } from '../shared/several-locks';
import { tokenLock } from '../shared/token-lock';
import { lockKey, withLock } from '../shared/with-lock';

export const multi: CartStrategy = {
  name: 'multi',
  mechanism:
    'A cart acquires one lock per balance, in sorted order. A try that does not get all of them releases the others, so that no waiter holds a lock, and all leases start together.',
  defect:
    'No deadlock, but work that outlives the leases leads to two holders, and oversells. Each balance of a cart costs a round trip.',
  source: 'Redisson, MultiLock; Coffman, Elphick and Shoshani, "System Deadlocks", 1971.',
  next: {
    why: 'One Lua script that takes all keys or none needs no order, as long as all keys are on one server. for-update locks the rows in the database.',
  },
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
