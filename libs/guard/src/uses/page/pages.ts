import { run } from '#lab/strategy';
import type { Redis } from 'ioredis';
import type { Action, Done, GuardTools, Page, Preparing } from '../../contract';
import { readPage, storePage } from '../../shared/scripts';

/** How long a built page is fresh, milliseconds. */
export const FRESH_MS = 60_000;

/** A page with the time until which it is fresh: Redis does not remove it. */
export interface TimedPage extends Page {
  /** 0 or negative: it has expired. Milliseconds, by the clock of Redis. */
  readonly freshForMs: number;
  /** How long it took to build it, milliseconds. */
  readonly buildMs: number;
}

type Key = Pick<Action, 'key'>;
const keyOf = ({ key }: Key): string => `page:{${key}}`;
const timedKeyOf = ({ key }: Key): string => `page-with-time:{${key}}`;

export const built = (page: Page): Done => ({ outcome: 'done', page: answered(page) });
export const found = (page: Page): Done => ({ outcome: 'already-done', page: answered(page) });
const answered = ({ text, builtBy, staleMs }: Page): Page => ({ text, builtBy, staleMs });

/** The page, until Redis has removed it. */
export async function cached(redis: Redis, page: Key): Promise<Page | undefined> {
  const json = await redis.get(keyOf(page));
  return json === null ? undefined : (JSON.parse(json) as Page);
}

/** The page, fresh or not. */
export async function timed({ redis, clock }: GuardTools, page: Key): Promise<TimedPage | undefined> {
  const reply = await run(redis, readPage, timedKeyOf(page), clock.serverTime());
  if (reply === null) return undefined;
  const [text, builtBy, buildMs, freshForMs] = reply as [string, string, number, number];
  return { text, builtBy, staleMs: Math.max(0, -freshForMs), freshForMs, buildMs };
}

export const isFresh = ({ freshForMs }: TimedPage): boolean => freshForMs > 0;

/** Builds the page: the expensive query, counted in the database. */
async function build({ key, request }: Action, { sql, work }: GuardTools): Promise<Page> {
  await work();
  await sql.query('INSERT INTO page_build (page, request) VALUES (?, ?)', [key, request]);
  return { text: `page ${key}`, builtBy: request, staleMs: 0 };
}

/** Answers with the cached page, or builds it and puts it into the cache, from which Redis removes it. */
export async function readOrBuild(page: Action, tools: GuardTools): Promise<Done> {
  const inCache = await cached(tools.redis, page);
  if (inCache !== undefined) return found(inCache);
  return built(await rebuild(page, tools));
}

/** Builds the page and puts it into the cache, from which Redis removes it. */
export async function rebuild(page: Action, tools: GuardTools): Promise<Page> {
  const made = await build(page, tools);
  await tools.redis.set(keyOf(page), JSON.stringify(made), 'PX', FRESH_MS);
  return made;
}

/** Builds the page and puts it into the cache with the time until which it is fresh. */
export async function rebuildTimed(page: Action, tools: GuardTools): Promise<Page> {
  const { redis, clock } = tools;
  const begun = clock.now();
  const made = await build(page, tools);
  const buildMs = Math.round(clock.now() - begun);
  const { text, builtBy } = made;
  await run(redis, storePage, timedKeyOf(page), text, builtBy, buildMs, FRESH_MS, clock.serverTime());
  return made;
}

/** The build of an old page took so long, milliseconds. */
const OLD_BUILD_MS = 100;

/**
 * Makes every page expired: removed, or present and no longer fresh. `expiresInMs`: pages with a time expire so much later;
 * `buildMs`: their build took so long.
 */
export async function expireAll(
  pages: readonly string[],
  { redis, time, expiresInMs = 0, buildMs = OLD_BUILD_MS }: Preparing,
): Promise<void> {
  for (const key of pages) {
    await redis.del(keyOf({ key }));
    await run(redis, storePage, timedKeyOf({ key }), 'old page', 'old', buildMs, expiresInMs, time);
  }
}
