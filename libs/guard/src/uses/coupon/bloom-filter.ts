import type { Guard } from '../../contract';
import { readOrQuery } from './coupons';
import { mayContain } from './filter';

export const bloomFilter: Guard = {
  name: 'coupon/bloom-filter',
  mechanism:
    'A bitmap in Redis has seven bits set for each code that was ever created. One BITFIELD_RO reads the bits of a code: when one is 0, there is no such coupon, and the database is not asked.',
  defect:
    'About 1 of 100 unknown codes is a false positive: each request for it reaches the database. A deleted coupon stays in the filter, and a coupon that is not added when it is created is denied. Redis that restarts empty has no filter: until it is loaded again every request reaches the database.',
  source: 'Bloom, "Space/Time Trade-offs in Hash Coding with Allowable Errors", CACM 1970.',
  next: { guard: 'coupon/null-cached', why: 'behind the filter, answers repeated false positives.' },
  options: ['workMs'],
  expected: { none: { must: [], may: ['repeated-work'] } }, // a false positive

  async apply(code, tools) {
    if (!(await mayContain(tools.redis, code.key))) return { outcome: 'already-done', coupon: null };
    return readOrQuery(code, tools);
  },
};
