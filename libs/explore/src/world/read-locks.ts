import type { SteppedRedis } from '#lab/step';
import { createHash } from 'node:crypto';

/** `expiry`: expiry time on the server's clock, milliseconds; -1: none. `type`: that of the key in Redis. */
type FoundLock = [name: string, content: string, ttlMs: number, expiry: number, token: string, type: string];

/**
 * Reads every lock key of a database in one atomic step: name, content, time to live, expiry, and token. Content is a
 * hash of DUMP, which covers strings, hashes and sets alike and identifies the owner in every known lock. A list, a sorted set
 * and a stream are queues: their content changes with every request that joins.
 *
 * ARGV[2] is the pattern of the keys. Afterwards a key with an expiry is postponed until ARGV[1], so that real time cannot
 * expire it between two steps. A key that is postponed already is not changed: this would abort the EXEC of its WATCH.
 */
const READ_LOCKS = `
local found = {}
for _, key in ipairs(redis.call('KEYS', ARGV[2])) do
  local type = redis.call('TYPE', key).ok
  local token = type == 'string' and redis.call('GET', key) or ''
  local ttl = redis.call('PTTL', key)
  local expiry = redis.call('PEXPIRETIME', key)
  local isQueue = type == 'list' or type == 'zset' or type == 'stream'
  local content = isQueue and 'queue' or redis.sha1hex(redis.call('DUMP', key))
  found[#found + 1] = { key, content, ttl, expiry, token, type }
  if ttl >= 0 and expiry ~= tonumber(ARGV[1]) then redis.call('PEXPIREAT', key, ARGV[1]) end
end
return found`;

/**
 * Sets the time to live of KEYS[i] to ARGV[i] milliseconds. Returns their expiry times; -2: the key no longer exists.
 */
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

/** A command of the lab that reads locks or restores their leases. */
export const isReadOfLocks = ([verb = '', script]: readonly string[]): boolean =>
  verb.toLowerCase() === 'evalsha' && (script === READ_LOCKS_SHA || script === RESTORE_LEASES_SHA);

/** Later than any schedule ends. */
export const FAR_FUTURE = Date.UTC(2100, 0, 1);

/** Loads the scripts that read locks. */
export const loadReadLocks = async (redis: SteppedRedis): Promise<void> => {
  await Promise.all([READ_LOCKS, RESTORE_LEASES].map((script) => redis.script('LOAD', script)));
};

/** All keys of this pattern in a Redis on which `loadReadLocks` has run. */
export const readKeys = (redis: SteppedRedis, pattern: string): Promise<FoundLock[]> =>
  redis.evalsha(READ_LOCKS_SHA, 0, FAR_FUTURE, pattern) as Promise<FoundLock[]>;

/** Sets the remaining leases, milliseconds. Returns the expiry times. */
export async function restoreLeases(
  redis: SteppedRedis,
  leases: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, number>> {
  const keys = [...leases.keys()];
  if (keys.length === 0) return leases;
  const expiries = await redis.evalsha(RESTORE_LEASES_SHA, keys.length, ...keys, ...leases.values());
  return new Map(keys.map((key, i) => [key, (expiries as number[])[i] ?? -2]));
}
