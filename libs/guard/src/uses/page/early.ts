import type { Guard } from '../../contract';
import { built, found, rebuildTimed, timed } from './pages';

/** How eager readers are to build early: 1 is the optimum of the paper. */
const BETA = 1;

export const early: Guard = {
  name: 'page/early',
  mechanism:
    'XFetch: each reader builds with a probability that grows toward the expiry and with the duration of the last build, so that one of them usually builds before it.',
  defect:
    'No lock, no waiting, no old page, and no promise: after the expiry, or with much traffic, several readers build.',
  source: 'Vattani, Chierichetti, Lowenstein, "Optimal Probabilistic Cache Stampede Prevention", VLDB 2015.',
  next: { guard: 'page/stale', why: 'builds once.' },
  options: ['workMs'],
  expected: { none: { must: ['repeated-work'] } },

  async apply(page, tools) {
    const inCache = await timed(tools, page);
    if (inCache !== undefined) {
      const headStartMs = inCache.buildMs * BETA * -Math.log(1 - tools.random());
      if (inCache.freshForMs > headStartMs) return found(inCache);
    }
    return built(await rebuildTimed(page, tools));
  },
};
