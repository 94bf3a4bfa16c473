import type { Guard } from '../../contract';
import { readOrQuery } from './coupons';

export const unprotected: Guard = {
  name: 'coupon/unprotected',
  mechanism: 'Read the cache; on a miss ask the database, and cache the coupon that it has.',
  defect:
    'There is nothing to cache for a code that does not exist: every request for it reaches the database, however often it is repeated.',
  source: 'Cache penetration, in every article on caches.',
  next: { guard: 'coupon/null-cached', why: 'caches also that there is no coupon.' },
  options: ['workMs'],
  expected: { none: { must: ['repeated-work'] } },

  apply: (code, tools) => readOrQuery(code, tools),
};
