import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/** A Bloom filter as a bitmap in Redis: 1% false positives for 100 codes need 10 bits for each code, and 7 hashes. */
const KEY = 'coupon-filter';
const BITS = 1000;
const HASHES = 7;

/** This bit is always set: without it the filter is not there, and says nothing. */
const LOADED = 0;

/** The bits of a code: two hashes make all others (Kirsch, Mitzenmacher). */
export function bitsOf(code: string): readonly number[] {
  const digest = createHash('sha256').update(code).digest();
  const [first, second] = [digest.readUInt32BE(0), digest.readUInt32BE(4)];
  return Array.from({ length: HASHES }, (_, i) => 1 + ((first + i * second) % (BITS - 1)));
}

/** Adds codes. No code can be removed: its bits may also be those of others. */
export async function addCodes(redis: Redis, codes: readonly string[]): Promise<void> {
  const bits = [LOADED, ...codes.flatMap(bitsOf)];
  await redis.call('BITFIELD', KEY, ...bits.flatMap((bit) => ['SET', 'u1', bit, 1]));
}

export const removeFilter = (redis: Redis): Promise<unknown> => redis.del(KEY);

/** False: the code was never added. True: it probably was, or the filter is not there. */
export async function mayContain(redis: Redis, code: string): Promise<boolean> {
  const bits = [LOADED, ...bitsOf(code)];
  const reply = await redis.call('BITFIELD_RO', KEY, ...bits.flatMap((bit) => ['GET', 'u1', bit]));
  const [isLoaded, ...values] = reply as number[];
  return isLoaded === 0 || !values.includes(0);
}
