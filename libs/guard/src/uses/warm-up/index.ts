import type { Effect, Use } from '../../contract';
import { pagesOf } from './catalogue-pages';
import { jittered } from './jittered';
import { sameExpiry } from './same-expiry';

export const warmUp: Use = {
  name: 'warm-up',
  action: 'Put all 100 pages of a catalogue into the cache, after a deployment (cache avalanche).',
  endpoint: 'POST /catalogues/{key}/warm-ups',
  rules: {
    effect: 'expiry of page',
    second: 'repeated-work',
    isPromised: false,
    mayHaveNone: true,
    expiringPerSecond: 0.2,
  },
  tables: ['warm_up'],
  keyColumn: 'catalogue',
  async effects({ query, redis }) {
    const rows = (await query('SELECT DISTINCT catalogue FROM warm_up')) as { catalogue: string }[];
    const pages = rows.flatMap(({ catalogue }) => pagesOf(catalogue));
    const found = await Promise.all(
      pages.map(async (key): Promise<Effect> => {
        const [request, expiresAt] = await Promise.all([redis.get(key), redis.pexpiretime(key)]);
        return { key, request: request ?? '', expiresAt };
      }),
    );
    return found.filter(({ request }) => request !== '');
  },
  async prepare(catalogues, { redis }) {
    for (const catalogue of catalogues) await redis.del(...pagesOf(catalogue));
  },
  guards: [sameExpiry, jittered],
};
