import type { Ticker } from '#lab/step';
import type { Strategy } from '../contract';
import { readModifyWrite } from '../shared/read-modify-write';
import { tokenLock } from '../shared/token-lock';
import { lockKey, withLock } from '../shared/with-lock';

export const watchdogNaive: Strategy = {
  name: 'watchdog-naive',
  mechanism:
    'Like token-lua, with a timer that reads the remaining time of the key, and renews it by PEXPIRE when little is left. A successful release stops the timer.',
  defect:
    'The timer does not check the owner of the key, and only a successful release stops it: after a lost lock or a failed release it renews the locks of other holders for as long as its process lives.',
  source: 'The hand-written renewal thread of the articles.',
  next: { strategy: 'watchdog', why: 'renews by a script that compares the owner, and always stops.' },
  options: ['leaseMs', 'waitMs', 'wait', 'retryMs', 'workMs'],
  lacks: ['survivesLapse', 'noticesLoss', 'survivesFailedRelease', 'renewsOnlyItsOwn'],
  expected: {
    'release-fails': { must: ['stuck'], may: [] },
    'paused-before-write': { must: ['overlap', 'lost-update'], may: ['oversold', 'foreign-renewal'] },
  },

  apply(change, tools) {
    const { redis, clock, options } = tools;
    const lock = tokenLock(lockKey(change.balance, 'watchdog-naive'), tools);
    let timer: Ticker | undefined;
    const watched = {
      ...lock,
      release: async () => {
        if ((await lock.release()) === 1) timer?.stop();
      },
    };
    return withLock(watched, tools, () => {
      timer = clock.every(options.leaseMs / 3, async () => {
        if ((await redis.pttl(lock.key)) < options.leaseMs / 2)
          await redis.pexpire(lock.key, options.leaseMs);
      });
      return readModifyWrite(change, tools);
    });
  },
};
