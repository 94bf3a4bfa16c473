import { release, tokenLock, withLock } from '#lab/strategy';
import type { Action, Done, Guard, GuardTools } from '../../contract';
import { whenLockEnds } from '../../shared/expected';
import { actionKey } from '../../shared/action-lock';
import { built, found, isFresh, rebuildTimed, timed } from './pages';

export const stale: Guard = {
  name: 'page/stale',
  mechanism:
    'The page stays in the cache with the time until which it is fresh. Later one reader gets the lock and builds; all others return the old page at once.',
  defect:
    'No reader waits while there is an old page. For the time of one build readers see it; when the builder dies, until its lease ends. Without any page (the first readers, Redis restarted empty) it is page/lock.',
  source: 'RFC 5861, stale-while-revalidate; the articles: "logical expiry".',
  next: { why: 'nothing, where an old page is better than a late one.' },
  options: ['leaseMs', 'waitMs', 'wait', 'retryMs', 'workMs'],
  expected: {
    error: { must: ['repeated-work'] },
    'lose-reply': { must: ['repeated-work'] },
    ...whenLockEnds('repeated-work'),
  },

  async apply(page, tools) {
    const old = await timed(tools, page);
    const lock = tokenLock(actionKey('page', 'stale', page), tools);
    if (old === undefined) return withLock(lock, tools, () => readOrRebuild(page, tools)); // nothing to answer with
    if (isFresh(old)) return found(old);
    if (!(await lock.tryAcquire())) return found(old);
    try {
      return await readOrRebuild(page, tools);
    } finally {
      await release(lock, tools);
    }
  },
};

/** Another reader may have built the page before the lock was obtained. */
async function readOrRebuild(page: Action, tools: GuardTools): Promise<Done> {
  const again = await timed(tools, page);
  return again !== undefined && isFresh(again) ? found(again) : built(await rebuildTimed(page, tools));
}
