import type { SteppedRedis } from '#lab/step';
import { createHash } from 'node:crypto';

/** `expiry`: when it was to end, in the server's milliseconds; -1: never. */
type FoundLock = [name: string, content: string, ttlMs: number, expiry: number, token: string];

/**
 * Reads every lock key of a database in one atomic step: name, content, milliseconds to live, when it expires, and its
 * token. A key's content is its owner in every lock that is known; DUMP covers strings, hashes and sets alike.
 *
 * Behind that a key that expires is put off until ARGV[1]: between two steps no real time may end it, however long they
 * are apart.
 */
const READ_LOCKS = `
local found = {}
for _, key in ipairs(redis.call('KEYS', 'lock:*')) do
  local token = redis.call('TYPE', key).ok == 'string' and redis.call('GET', key) or ''
  local ttl = redis.call('PTTL', key)
  found[#found + 1] = { key, redis.sha1hex(redis.call('DUMP', key)), ttl, redis.call('PEXPIRETIME', key), token }
  if ttl >= 0 then redis.call('PEXPIREAT', key, ARGV[1]) end
end
return found`;

/** Gives the lock keys KEYS[i] the ARGV[i] milliseconds that they have left. Returns when each expires; -2: it is gone. */
const RESTORE_LEASES = `
local expiries = {}
for i, key in ipairs(KEYS) do
  redis.call('PEXPIRE', key, ARGV[i])
  expiries[i] = redis.call('PEXPIRETIME', key)
end
return expiries`;

const sha = (script: string): string => createHash('sha1').update(script).digest('hex');
const READ_LOCKS_SHA = sha(READ_LOCKS);
const RESTORE_LEASES_SHA = sha(RESTORE_LEASES);

/** Later than any schedule ends. */
const NOT_NOW = Date.UTC(2100, 0, 1);

/** Teaches a Redis the scripts by which its locks are read. */
export const loadReadLocks = async (redis: SteppedRedis): Promise<void> => {
  await Promise.all([READ_LOCKS, RESTORE_LEASES].map((script) => redis.script('LOAD', script)));
};

/** The lock keys of a Redis that was taught to. */
export const readLocks = (redis: SteppedRedis): Promise<FoundLock[]> =>
  redis.evalsha(READ_LOCKS_SHA, 0, NOT_NOW) as Promise<FoundLock[]>;

/** Lock keys with what is left of their leases, milliseconds. Returns when each expires. */
export async function restoreLeases(
  redis: SteppedRedis,
  leases: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, number>> {
  const keys = [...leases.keys()];
  if (keys.length === 0) return leases;
  const expiries = await redis.evalsha(RESTORE_LEASES_SHA, keys.length, ...keys, ...leases.values());
  return new Map(keys.map((key, i) => [key, (expiries as number[])[i] ?? -2]));
}
