import type { Use } from '../../contract';
import { bloomFilter } from './bloom-filter';
import { CODES, forget } from './coupons';
import { addCodes, removeFilter } from './filter';
import { nullCached } from './null-cached';
import { unprotected } from './unprotected';

export const coupon: Use = {
  name: 'coupon',
  action:
    'Look up a coupon by a code that a client guesses: the database has no such coupon (cache penetration).',
  endpoint: 'GET /coupons/{key}',
  rules: { effect: 'query for coupon', second: 'repeated-work', isPromised: false, mayHaveNone: true },
  tables: ['coupon_query', 'coupon'],
  keyColumn: 'code',
  rows: [`INSERT INTO coupon (code, percent) VALUES ${CODES.map((code) => `('${code}', 10)`).join(', ')}`],
  async effects({ query }) {
    const rows = await query('SELECT code, request FROM coupon_query ORDER BY id');
    return (rows as { code: string; request: string }[]).map(({ code: key, request }) => ({ key, request }));
  },
  async prepare(codes, { redis }) {
    await forget(redis, [...codes, ...CODES]);
    await removeFilter(redis);
    await addCodes(redis, CODES);
  },
  guards: [unprotected, nullCached, bloomFilter],
};
