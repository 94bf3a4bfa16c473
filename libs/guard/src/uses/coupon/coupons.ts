import type { Redis } from 'ioredis';
import type { Action, Coupon, Done, GuardTools } from '../../contract';

/** The coupons that the database has after a reset. */
export const CODES: readonly string[] = Array.from({ length: 100 }, (_, i) => `SALE-${i + 1}`);

/** How long an answer stays in the cache, milliseconds; one that there is no coupon is kept for a shorter time. */
const FOUND_MS = 60_000;
const NULL_MS = 10_000;

const keyOf = (code: string): string => `coupon:{${code}}`;

/** The cached answer: null when it is known that there is no such coupon, undefined when nothing is known. */
export async function cached(redis: Redis, { key: code }: Action): Promise<Coupon | null | undefined> {
  const json = await redis.get(keyOf(code));
  return json === null ? undefined : (JSON.parse(json) as Coupon | null);
}

/** Asks the database, and counts that it was asked. */
async function query({ key: code, request }: Action, { sql, work }: GuardTools): Promise<Coupon | null> {
  await work();
  await sql.query('INSERT INTO coupon_query (code, request) VALUES (?, ?)', [code, request]);
  const [coupon] = await sql.query<Coupon[]>('SELECT percent FROM coupon WHERE code = ?', [code]);
  return coupon ?? null;
}

/** Answers from the cache, or asks the database and caches its answer; that there is no coupon, only with `cacheNull`. */
export async function readOrQuery(code: Action, tools: GuardTools, cacheNull = false): Promise<Done> {
  const known = await cached(tools.redis, code);
  if (known !== undefined) return { outcome: 'already-done', coupon: known };
  const coupon = await query(code, tools);
  if (coupon !== null || cacheNull)
    await tools.redis.set(
      keyOf(code.key),
      JSON.stringify(coupon),
      'PX',
      coupon === null ? NULL_MS : FOUND_MS,
    );
  return { outcome: 'done', coupon };
}

/** Removes what is cached about these codes. */
export async function forget(redis: Redis, codes: readonly string[]): Promise<void> {
  for (const code of codes) await redis.del(keyOf(code));
}
