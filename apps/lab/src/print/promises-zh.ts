import type { Capability } from '#lab/strategy';

/** The promises of the exercises in Chinese, as on the pages of the console, whose texts no other program may import. */
export const PROMISES_IN_CHINESE: Readonly<Partial<Record<Capability, string>>> = {
  exactInOneProcess: '同一进程的两个买家：恰好一个买到最后一件',
  exactAcrossProcesses: '两个进程的两个买家：恰好一个买到最后一件',
  survivesDeadHolder: '持有者崩溃后，下一个买家仍能买',
  survivesLapse: '业务途中锁过期，也不会重复卖出',
  survivesSlowWork: '业务超过租期也不会重复卖出',
  noticesLoss: '断网的持有者能察觉失锁，或被拒绝',
  releasesOnlyItsOwn: '解锁绝不误删别人的锁',
  releasesAfterSale: '卖完立即释放锁',
  losersTouchNothing: '没拿到锁的客户端不会改动锁',
};
