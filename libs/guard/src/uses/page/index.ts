import type { Use } from '../../contract';
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
    const rows = await query('SELECT page, request FROM page_build ORDER BY id');
    return (rows as { page: string; request: string }[]).map(({ page: key, request }) => ({ key, request }));
  },
  prepare: (pages, { redis }) => expireAll(redis, pages),
  guards: [unprotected, lock, stale, singleFlight, early],
};
