import type { LockChange, LockState } from '#lab/verdict';
import { createHash } from 'node:crypto';

/**
 * Reads every lock key of a database: name, type, content, and milliseconds to live, in one atomic step.
 * A key's content is its owner in every lock that is known; DUMP covers strings, hashes and sets alike.
 */
const READ_LOCKS = `
local found = {}
for _, key in ipairs(redis.call('KEYS', 'lock:*')) do
  found[#found + 1] = { key, redis.sha1hex(redis.call('DUMP', key)), redis.call('PTTL', key), redis.call('PEXPIRETIME', key) }
end
return found`;
export const readLocks = {
  text: READ_LOCKS,
  sha: createHash('sha1').update(READ_LOCKS).digest('hex'),
};

/** A lock key as Redis has it: name, hash of its content, milliseconds to live (-1: for ever), when it expires in real time. */
export type LockReading = readonly [key: string, content: string, ttlMs: number, expiresAt: number];

interface Entry {
  content: string;
  owner: string | undefined;
  realExpiry: number;
  /** Virtual time; undefined: never. */
  expiresAt: number | undefined;
}

/** What is known of the lock keys: who put them there, and when they end in virtual time. */
export class LockBook {
  private readonly entries = new Map<string, Entry>();
  private readonly versions = new Map<string, number>();

  /** Counts the changes of a key; changes of its time to live alone do not count. */
  version(key: string): number {
    return this.versions.get(key) ?? 0;
  }

  states(): LockState[] {
    return [...this.entries].map(([key, { owner, expiresAt }]) => ({
      key,
      ...(owner !== undefined && { owner }),
      ...(expiresAt !== undefined && { expiresAt }),
    }));
  }

  /** The keys that will end, the first one first. */
  ending(): { key: string; at: number }[] {
    return [...this.entries]
      .flatMap(([key, { expiresAt }]) => (expiresAt === undefined ? [] : [{ key, at: expiresAt }]))
      .sort((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1));
  }

  /** Takes in what Redis holds after a command of `by`, whose arguments were `args`. Returns what changed. */
  update(
    readings: readonly LockReading[],
    now: number,
    by?: string,
    args: readonly string[] = [],
  ): LockChange[] {
    const changes: LockChange[] = [];
    const seen = new Set(readings.map(([key]) => key));
    for (const [key, entry] of this.entries)
      if (!seen.has(key)) changes.push(this.gone(key, entry, 'released', by));
    for (const reading of readings) changes.push(...this.present(reading, now, by, args));
    return changes;
  }

  /** A key has ended. */
  expire(key: string): LockChange[] {
    const entry = this.entries.get(key);
    return entry === undefined ? [] : [this.gone(key, entry, 'expired')];
  }

  /** Redis restarted empty. */
  flush(): LockChange[] {
    return [...this.entries].map(([key, entry]) => this.gone(key, entry, 'flushed'));
  }

  private gone(key: string, entry: Entry, change: LockChange['change'], by?: string): LockChange {
    this.entries.delete(key);
    this.bump(key);
    return { key, change, ...actors(by, entry.owner) };
  }

  private present(
    [key, content, ttl, realExpiry]: LockReading,
    now: number,
    by: string | undefined,
    args: readonly string[],
  ): LockChange[] {
    const old = this.entries.get(key);
    const expiresAt =
      old !== undefined && old.content === content && old.realExpiry === realExpiry
        ? old.expiresAt
        : ttl < 0
          ? undefined
          : now + granted(ttl, args);
    this.entries.set(key, {
      content,
      owner: old?.content === content ? old.owner : by,
      realExpiry,
      expiresAt,
    });
    if (old?.content === content)
      return old.expiresAt === expiresAt ? [] : [{ key, change: 'renewed', ...actors(by, old.owner) }];
    this.bump(key);
    return [{ key, change: old === undefined ? 'taken' : 'replaced', ...actors(by, old?.owner) }];
  }

  /** Its time to live was set by the schedule itself. */
  noteRealExpiry(readings: readonly LockReading[]): void {
    for (const [key, , , realExpiry] of readings) {
      const entry = this.entries.get(key);
      if (entry !== undefined) entry.realExpiry = realExpiry;
    }
  }

  private bump(key: string): void {
    this.versions.set(key, this.version(key) + 1);
  }
}

const actors = (by?: string, owner?: string): { by?: string; owner?: string } => ({
  ...(by !== undefined && { by }),
  ...(owner !== undefined && { owner }),
});

/** How much real time may lie between a command and the look at its key, milliseconds. */
const LATENESS_MS = 500;

/**
 * The lease that a command granted. Redis says what is left of it some moments later; the command's own argument,
 * in milliseconds or seconds, is the exact number.
 */
function granted(ttl: number, args: readonly string[]): number {
  const candidates = args
    .filter((arg) => /^\d+$/.test(arg))
    .flatMap((arg) => [Number(arg), Number(arg) * 1000])
    .filter((ms) => ms >= ttl && ms - ttl < LATENESS_MS)
    .sort((a, b) => a - b);
  return candidates[0] ?? ttl;
}
