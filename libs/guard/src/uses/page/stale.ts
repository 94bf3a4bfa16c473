import { release, tokenLock } from '#lab/strategy';
import { ALREADY_DONE, DONE, type Guard } from '../../contract';
import { whenLockEnds } from '../../shared/expected';
import { actionKey } from '../../shared/action-lock';
import { cachedWithTime, rebuildWithTime } from './pages';

export const stale: Guard = {
  name: 'page/stale',
  mechanism:
    'The page stays in the cache with the time until which it is fresh. Later one reader gets the lock and builds; all others return the old page at once.',
  defect:
    'No reader waits. For the time of one build readers see the old page; the first page must be there before the first reader.',
  source: 'RFC 5861, stale-while-revalidate; the articles: "logical expiry".',
  next: { why: 'nothing, where an old page is better than a late one.' },
  options: ['leaseMs', 'workMs'],
  expected: {
    error: { must: ['repeated-work'] },
    'lose-reply': { must: ['repeated-work'] },
    ...whenLockEnds('repeated-work'),
  },

  async apply(page, tools) {
    const { redis, clock } = tools;
    const isFresh = async (): Promise<boolean> =>
      (await cachedWithTime(redis, page)).freshUntil > clock.now();
    if (await isFresh()) return ALREADY_DONE;
    const lock = tokenLock(actionKey('page', 'stale', page), tools);
    if (!(await lock.tryAcquire())) return ALREADY_DONE;
    try {
      if (await isFresh()) return ALREADY_DONE;
      await rebuildWithTime(page, tools);
      return DONE;
    } finally {
      await release(lock, tools);
    }
  },
};
