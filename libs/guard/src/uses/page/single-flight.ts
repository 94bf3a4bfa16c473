import type { Guard, Page } from '../../contract';
import { perProcess } from '../../shared/per-process';
import { built, cached, found, rebuild } from './pages';

const buildsOf = perProcess(() => new Map<string, Promise<Page>>());

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
    const inCache = await cached(tools.redis, page);
    if (inCache !== undefined) return found(inCache);
    const builds = buildsOf(tools.process);
    const running = builds.get(page.key);
    if (running !== undefined) return found(await running);
    const build = rebuild(page, tools).finally(() => builds.delete(page.key));
    builds.set(page.key, build);
    return built(await build);
  },
};
