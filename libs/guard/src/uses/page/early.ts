import { ALREADY_DONE, DONE, type Guard } from '../../contract';
import { cachedWithTime, FRESH_MS, rebuildWithTime } from './pages';

/** The expected time of a build, milliseconds, and how eager readers are: 1 is the optimum of the paper. */
const BUILD_MS = 100;
const BETA = 1;

export const early: Guard = {
  name: 'page/early',
  mechanism:
    'XFetch: each reader builds with a probability that grows towards the expiry, so that one of them usually builds before it.',
  defect:
    'No lock and no waiting, and no promise: after the expiry, or with much traffic, several readers build.',
  source: 'Vattani, Chierichetti, Lowenstein, "Optimal Probabilistic Cache Stampede Prevention", VLDB 2015.',
  next: { guard: 'page/stale', why: 'builds once.' },
  options: ['workMs'],
  expected: { none: { must: ['repeated-work'] } },

  async apply(page, tools) {
    const { freshUntil } = await cachedWithTime(tools.redis, page);
    const headStart = Math.min(FRESH_MS, -BUILD_MS * BETA * Math.log(1 - Math.random()));
    if (tools.clock.now() + headStart < freshUntil) return ALREADY_DONE;
    await rebuildWithTime(page, tools);
    return DONE;
  },
};
