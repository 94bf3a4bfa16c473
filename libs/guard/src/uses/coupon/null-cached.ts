import type { Guard } from '../../contract';
import { actionKey, underLock } from '../../shared/action-lock';
import { whenInterrupted, whenLockEnds } from '../../shared/expected';
import { cached, readOrQuery } from './coupons';

export const nullCached: Guard = {
  name: 'coupon/null-cached',
  mechanism:
    'As page/lock, and the answer "there is no such coupon" is cached as well, for a shorter time than a coupon.',
  defect:
    'One query per code and expiry. A coupon that is created after its null was cached is denied until the null expires. Guesses of ever new codes reach the database, and each fills the cache with a null.',
  source: 'Cache penetration: "cache the empty result"; negative caching of DNS, RFC 2308.',
  next: {
    guard: 'coupon/bloom-filter',
    why: 'denies unknown codes without a query and without a key for each.',
  },
  options: ['leaseMs', 'waitMs', 'wait', 'retryMs', 'workMs'],
  expected: {
    ...whenInterrupted('repeated-work'),
    ...whenLockEnds('repeated-work'),
  },

  async apply(code, tools) {
    const known = await cached(tools.redis, code);
    if (known !== undefined) return { outcome: 'already-done', coupon: known };
    return underLock(actionKey('coupon', 'null-cached', code), tools, () => readOrQuery(code, tools, true));
  },
};
