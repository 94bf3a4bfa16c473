import type { Guard } from '../../contract';
import { ALREADY_DONE, DONE } from '../../contract';
import { perProcess } from '../../shared/per-process';
import { cached, rebuild } from './pages';

const buildsOf = perProcess(() => new Map<string, Promise<string>>());

export const singleFlight: Guard = {
  name: 'page/single-flight',
  mechanism: 'A process builds a page once at a time: its other readers wait for the same promise.',
  defect: 'One build for each replica, without any server: often good enough.',
  source: 'Go, golang.org/x/sync/singleflight.',
  next: { guard: 'page/lock', why: 'counts all replicas.' },
  options: ['workMs'],
  sharesState: true,
  expected: { none: { must: ['repeated-work'] } },

  async apply(page, tools) {
    if ((await cached(tools.redis, page)) !== null) return ALREADY_DONE;
    const builds = buildsOf(tools.process);
    const running = builds.get(page.key);
    if (running !== undefined) {
      await running;
      return ALREADY_DONE;
    }
    const build = rebuild(page, tools).finally(() => builds.delete(page.key));
    builds.set(page.key, build);
    await build;
    return DONE;
  },
};
