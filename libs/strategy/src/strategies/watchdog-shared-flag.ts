import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { tokenLock } from '../shared/token-lock';
import { lockKey, withLock } from '../shared/with-lock';

/** The `static boolean running` of the article: one for all the locks of a process. */
let running = false;

export const watchdogSharedFlag: Strategy = {
  name: 'watchdog-shared-flag',
  mechanism:
    'As token-lua, and a timer adds half a lease to what is left, every third of a lease, while the one static flag of the process says so.',
  defect:
    "The end of one lock stops the renewal of every other one of the process; and each round adds more than has passed, so that a dead holder's lock lasts ever longer. The owner is not checked.",
  source: 'A published slip: the static field that ends the renewal thread of an article.',
  next: 'watchdog-naive has a timer for each lock, and grants one lease from now.',
  options: ['leaseMs', 'waitMs', 'wait', 'retryMs', 'workMs'],
  sharesState: true,
  lacks: ['survivesLapse', 'survivesSlowWork', 'noticesLoss', 'grantsOneLease', 'renewsOnlyItsOwn'],
  expected: {
    'paused-before-write': { must: ['overlap', 'lost-update'], may: ['oversold', 'foreign-renewal'] },
  },

  apply(change, tools) {
    const { redis, clock, options } = tools;
    const lock = tokenLock(lockKey(change.balance, 'watchdog-shared-flag'), tools);
    return withLock(lock, tools, async () => {
      running = true;
      const timer = clock.every(options.leaseMs / 3, async () => {
        if (!running) {
          timer.stop();
          return;
        }
        const left = await redis.pttl(lock.key);
        await redis.pexpire(lock.key, left + Math.round(options.leaseMs / 2));
      });
      try {
        return await readModifyWrite(change, tools);
      } finally {
        running = false;
        timer.stop();
      }
    });
  },
};
