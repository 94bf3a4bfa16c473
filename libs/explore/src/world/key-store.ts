import { unobserved, type Step, type StepInfo, type SteppedRedis } from '#lab/step';
import { isRedisWrite, type LockReading, type LockStore } from './lock-stores';
import { FAR_FUTURE, restoreLeases } from './read-locks';
import type { ActorConnections } from './actor-connections';

type FoundKey = [key: string, content: string, ttlMs: number, expiry: number];

/** Reads the keys that have an expiry, and postpones it, so that real time cannot expire one between two steps. */
const READ_EXPIRING = `
local found = {}
for _, key in ipairs(redis.call('KEYS', '*')) do
  local ttl = redis.call('PTTL', key)
  if ttl >= 0 then
    local expiry = redis.call('PEXPIRETIME', key)
    found[#found + 1] = { key, redis.sha1hex(redis.call('DUMP', key)), ttl, expiry }
    if expiry ~= tonumber(ARGV[1]) then redis.call('PEXPIREAT', key, ARGV[1]) end
  end
end
return found`;

/** Commands that may read the remaining time of a key: scripts, and conditional changes of an expiry. */
const READS_TIME = /(^|; )(EVAL|EVALSHA|FCALL) | (GT|LT)( |;|$)/i;

const MOVES = /^(RENAME|RENAMENX|COPY)$/;

/** The key that a command of the step renames or copies to this one. */
const sourceOf = (step: StepInfo | undefined, key: string): string | undefined =>
  [...(step?.commands ?? []), ...(step === undefined ? [] : [step])].find(
    ({ verb, keys }) => MOVES.test(verb) && keys?.[1] === key,
  )?.key;

/** Milliseconds. Keys that exist before a schedule had their time to live set a moment ago. */
const GRAIN_MS = 1000;

/**
 * The keys of a user's code that have an expiry: they end when the schedule says so. They are read right behind the step, over
 * its connection, or after its answer over one of the explorer, where that of the user may be blocked, in subscriber mode or in a
 * MULTI.
 */
export class KeyStore implements LockStore {
  readonly name = '';
  readonly pipelined = false;
  readonly grantsInText = true;

  constructor(private readonly redis: SteppedRedis) {}

  touchedBy(step: StepInfo): boolean {
    return isRedisWrite(step);
  }

  readsBehind({ evalBehind }: Step): boolean {
    return evalBehind !== undefined;
  }

  /** Only a command that may read the remaining time needs it: a change of a key would abort its WATCH. */
  restore(
    _connections: ActorConnections,
    leases: ReadonlyMap<string, number>,
    step?: StepInfo,
  ): Promise<ReadonlyMap<string, number>> {
    return step !== undefined && READS_TIME.test(step.text)
      ? restoreLeases(this.redis, leases)
      : Promise.resolve(new Map());
  }

  async read(
    _connections?: ActorConnections,
    before: Promise<ReadonlyMap<string, number>> = Promise.resolve(new Map()),
    step?: Step,
  ): Promise<readonly LockReading[]> {
    const [found, expiries] = await Promise.all([this.readExpiring(step), before]);
    return found.map(([lock, content, ttlMs, expiry]) => {
      const keepsExpiry = expiry === (expiries.get(lock) ?? FAR_FUTURE);
      const movedFrom = keepsExpiry ? sourceOf(step, lock) : undefined;
      return {
        lock,
        content,
        ttlMs,
        renewed: !keepsExpiry,
        keepsExpiry,
        ...(movedFrom !== undefined && { movedFrom }),
      };
    });
  }

  private async readExpiring(step: Step | undefined): Promise<FoundKey[]> {
    const found = await (step?.evalBehind?.(READ_EXPIRING, FAR_FUTURE) ??
      unobserved(() => this.redis.eval(READ_EXPIRING, 0, FAR_FUTURE)));
    return (found as [string, string, unknown, unknown][]).map(([key, content, ttlMs, expiry]) => [
      key,
      content,
      Number(ttlMs), // a text where the client has the option stringNumbers
      Number(expiry),
    ]);
  }

  /** The keys that `prepare` has made, each with the lease that it was given: the same in every schedule. */
  async readPrepared(): Promise<readonly LockReading[]> {
    const found = await this.read();
    return found.map((reading) => ({
      ...reading,
      ttlMs: Math.ceil(reading.ttlMs / GRAIN_MS) * GRAIN_MS,
      isExact: true,
    }));
  }

  async end(key: string): Promise<boolean> {
    await unobserved(() => this.redis.del(key));
    return true;
  }

  async clear(): Promise<void> {
    await this.redis.flushdb();
  }
}
