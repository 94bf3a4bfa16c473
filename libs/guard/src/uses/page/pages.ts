import type { Action, GuardTools } from '../../contract';
import type { Redis } from 'ioredis';

/** How long a built page is fresh, milliseconds. */
export const FRESH_MS = 60_000;

/** A page in the cache. */
export interface CachedPage {
  readonly text: string;
  /** Time by the clock of the process that built it, milliseconds. */
  readonly freshUntil: number;
}

const keyOf = ({ key: page }: Pick<Action, 'key'>): string => `page:{${page}}`;
const timedKeyOf = ({ key: page }: Pick<Action, 'key'>): string => `page-with-time:{${page}}`;

/** The page, until Redis has removed it. */
export const cached = (redis: Redis, page: Action): Promise<string | null> => redis.get(keyOf(page));

/** The page, fresh or not: Redis does not remove it. */
export async function cachedWithTime(redis: Redis, page: Action): Promise<CachedPage> {
  const found = await redis.get(timedKeyOf(page));
  return found === null ? { text: '', freshUntil: 0 } : (JSON.parse(found) as CachedPage);
}

/** Builds the page: the expensive query, counted in the database. */
export async function build({ key: page, request }: Action, { sql, work }: GuardTools): Promise<string> {
  await work();
  await sql.query('INSERT INTO page_build (page, request) VALUES (?, ?)', [page, request]);
  return `page ${page}, built by ${request}`;
}

/** Builds the page and puts it into the cache, from which Redis removes it. */
export async function rebuild(page: Action, tools: GuardTools): Promise<string> {
  const text = await build(page, tools);
  await tools.redis.set(keyOf(page), text, 'PX', FRESH_MS);
  return text;
}

/** Builds the page and puts it into the cache with the time until which it is fresh. */
export async function rebuildWithTime(page: Action, tools: GuardTools): Promise<string> {
  const text = await build(page, tools);
  await keepWithTime(tools.redis, page, { text, freshUntil: tools.clock.now() + FRESH_MS });
  return text;
}

export const keepWithTime = (redis: Redis, page: Pick<Action, 'key'>, value: CachedPage): Promise<unknown> =>
  redis.set(timedKeyOf(page), JSON.stringify(value));

/** Makes every page expired: removed, or present and no longer fresh. */
export async function expireAll(redis: Redis, pages: readonly string[]): Promise<void> {
  for (const page of pages) {
    await redis.del(keyOf({ key: page }));
    await keepWithTime(redis, { key: page }, { text: 'old page', freshUntil: 0 });
  }
}
