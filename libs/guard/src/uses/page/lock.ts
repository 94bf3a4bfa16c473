import type { Guard } from '../../contract';
import { whenInterrupted, whenLockEnds } from '../../shared/expected';
import { actionKey, underLock } from '../../shared/action-lock';
import { cached, found, readOrBuild } from './pages';

export const lock: Guard = {
  name: 'page/lock',
  mechanism: 'On a miss acquire the lock, read the cache again, and build only if the page is still missing.',
  defect:
    'One build, and all other readers wait for it. When the builder dies, they wait until its lease ends.',
  source: 'The articles on hot keys in a cache: "rebuild under a mutex, with a second look".',
  next: { guard: 'page/stale', why: 'answers the other readers with the old page.' },
  options: ['leaseMs', 'waitMs', 'wait', 'retryMs', 'workMs'],
  expected: {
    ...whenInterrupted('repeated-work'),
    ...whenLockEnds('repeated-work'),
  },

  async apply(page, tools) {
    const inCache = await cached(tools.redis, page);
    if (inCache !== undefined) return found(inCache);
    return underLock(actionKey('page', 'lock', page), tools, () => readOrBuild(page, tools));
  },
};
