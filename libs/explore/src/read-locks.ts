import type { SteppedRedis } from '#lab/step';
import { createHash } from 'node:crypto';

type FoundLock = [name: string, content: string, ttlMs: number, expiry: number, token: string];

/**
 * Reads every lock key of a database: name, content, milliseconds to live, when it expires, and its token, in one
 * atomic step.
 * A key's content is its owner in every lock that is known; DUMP covers strings, hashes and sets alike.
 */
const READ_LOCKS = `
local found = {}
for _, key in ipairs(redis.call('KEYS', 'lock:*')) do
  local token = redis.call('TYPE', key).ok == 'string' and redis.call('GET', key) or ''
  found[#found + 1] = { key, redis.sha1hex(redis.call('DUMP', key)), redis.call('PTTL', key), redis.call('PEXPIRETIME', key), token }
end
return found`;
const READ_LOCKS_SHA = createHash('sha1').update(READ_LOCKS).digest('hex');

/** Teaches a Redis the script by which its locks are read. */
export const loadReadLocks = async (redis: SteppedRedis): Promise<void> => {
  await redis.script('LOAD', READ_LOCKS);
};

/** The lock keys of a Redis that was taught to. */
export const readLocks = (redis: SteppedRedis): Promise<FoundLock[]> =>
  redis.evalsha(READ_LOCKS_SHA, 0) as Promise<FoundLock[]>;
