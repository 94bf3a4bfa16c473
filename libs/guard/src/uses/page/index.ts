import type { Effect, Use } from '../../contract';
import { early } from './early';
import { lock } from './lock';
import { expireAll } from './pages';
import { singleFlight } from './single-flight';
import { stale } from './stale';
import { unprotected } from './unprotected';

export const page: Use = {
  name: 'page',
  action: 'Answer with a page from the cache, and build it when it has expired.',
  endpoint: 'GET /pages/{key}',
  rules: { effect: 'build of page', second: 'repeated-work', isPromised: false },
  tables: ['page_build'],
  keyColumn: 'page',
  async effects({ query }) {
    const rows = await query(
      'SELECT page AS `key`, request, CAST(1000 * UNIX_TIMESTAMP(built_at) AS SIGNED) AS at FROM page_build ORDER BY id',
    );
    return rows as Effect[];
  },
  prepare: expireAll,
  guards: [unprotected, lock, stale, singleFlight, early],
};
