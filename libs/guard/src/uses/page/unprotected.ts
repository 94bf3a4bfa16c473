import type { Guard } from '../../contract';
import { readOrBuild } from './pages';

export const unprotected: Guard = {
  name: 'page/unprotected',
  mechanism: 'Read the cache; on a miss build the page and put it there.',
  defect: 'When a popular page expires, every reader builds it at the same time: a stampede on the database.',
  source: 'Cache stampede (Vattani, Chierichetti, Lowenstein, 2015).',
  next: { guard: 'page/lock', why: 'lets one reader build.' },
  options: ['workMs'],
  expected: { none: { must: ['repeated-work'] } },

  apply: readOrBuild,
};
