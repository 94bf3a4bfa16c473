import type { CartStrategy } from '../contract';
import { readModifyWriteAll, singleMovement } from '../shared/carts';
import { tokenLock } from '../shared/token-lock';
import { lockKey, withLock } from '../shared/with-lock';

export const multiUnsorted: CartStrategy = {
  name: 'multi-unsorted',
  mechanism:
    'A cart acquires one lock per balance, in the order of the cart, and waits for each one while it holds those before it.',
  defect:
    'Two carts in opposite order deadlock: each holds the lock that the other one waits for, until waitMs is over or the leases end. If the leases end first, both proceed and oversell, because a waiter does not check again that its first lock is still its own.',
  source: 'Dijkstra, "Hierarchical Ordering of Sequential Processes", 1971: the dining philosophers.',
  next: {
    strategy: 'multi',
    why: 'acquires the locks in sorted order, and releases what it holds instead of waiting.',
  },
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
