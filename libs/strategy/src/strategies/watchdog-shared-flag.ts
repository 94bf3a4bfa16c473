import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { tokenLock } from '../shared/token-lock';
import { lockKey, withLock } from '../shared/with-lock';

/** The `static boolean running` of the article: one flag for all locks of a process. */
let running = false;

export const watchdogSharedFlag: Strategy = {
  name: 'watchdog-shared-flag',
  mechanism:
    'Like token-lua, with a timer that adds half a lease to the remaining time, every third of a lease, while a static flag of the process is set.',
  defect:
    'The release of one lock stops the renewal of all others of the process. Each renewal adds more time than has passed, so that the lock of a dead holder, or one whose release failed, lasts ever longer. The owner is not checked.',
  source: 'A published mistake: the static field that ends the renewal thread in an article.',
  next: { strategy: 'watchdog-naive', why: 'has one timer per lock, and renews for one lease from now.' },
  options: ['leaseMs', 'waitMs', 'wait', 'retryMs', 'workMs'],
  sharesState: true,
  lacks: [
    'survivesLapse',
    'survivesSlowWork',
    'noticesLoss',
    'survivesFailedRelease',
    'grantsOneLease',
    'renewsOnlyItsOwn',
  ],
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
