import type { CartStrategy } from '../contract';
import { readModifyWriteAll, singleMovement } from '../shared/carts';
import { tokenLock } from '../shared/token-lock';
import { lockKey, withLock } from '../shared/with-lock';

export const multiUnsorted: CartStrategy = {
  name: 'multi-unsorted',
  mechanism:
    'A cart takes one lock for each of its balances, in the order of the cart, and waits for the next one while it holds those before.',
  defect:
    'Two carts in opposite order dead-lock: each holds what the other one waits for, until waitMs is over, or until the leases end. Then both go on, and oversell: whoever waited does not look again whether its first lock is still its own.',
  source: 'Dijkstra, "Hierarchical Ordering of Sequential Processes", 1971: the dining philosophers.',
  next: 'multi takes the locks in sorted order, and gives back what it holds instead of waiting.',
  options: ['leaseMs', 'waitMs', 'wait', 'retryMs', 'workMs'],
  lacks: ['survivesLapse', 'survivesSlowWork', 'noticesLoss', 'servesCrossedCarts'],
  expected: {
    'work-outlives-lease': { must: ['oversold', 'lost-update', 'overlap'], may: [] },
    'paused-before-write': { must: ['overlap', 'lost-update'], may: ['oversold'] },
    'crossed-carts': { must: ['dead-lock'], may: [] },
    'crossed-carts-outwait-leases': { must: ['dead-lock', 'oversold', 'lost-update', 'overlap'], may: [] },
  },

  apply: async (change, tools) => singleMovement(await multiUnsorted.applyAll([change], tools)),

  applyAll(cart, tools) {
    const locks = cart.map(({ balance }) => tokenLock(lockKey(balance, 'multi-unsorted'), tools));
    const sell = () => readModifyWriteAll(cart, tools);
    const sellUnderAll = locks.reduceRight((section, lock) => () => withLock(lock, tools, section), sell);
    return sellUnderAll();
  },
};
