import {
  ACQUIRES,
  ACQUIRES_IF_FREE,
  ACQUIRES_IF_FREE_OR_OWNER,
  INSPECTS,
  nameScript,
  RELEASES,
  RELEASES_IF_OWNER,
  RENEWS_IF_OWNER,
  type LockCommand,
} from '#lab/step';
import type { Redis } from 'ioredis';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Notify } from './with-lock';

/** A Lua script from src/lua, called by its hash. */
export interface Script<Args extends readonly (string | number)[]> {
  readonly name: string;
  readonly sha: string;
  readonly text: string;
  readonly args?: Args; // carries the type only
}

const scripts: Script<never>[] = [];

function script<Args extends readonly (string | number)[]>(name: string, lock?: LockCommand): Script<Args> {
  return defineScript(name, readFileSync(join(__dirname, '..', 'lua', `${name}.lua`), 'utf8'), lock);
}

/**
 * A script from its text. Shown in steps by its name; `lock`: what it does to the lock that is its first key. Verdicts,
 * explorer and faults know a lock by this declaration, not by names. `timeLeftAt`: where its reply, a list, has the
 * milliseconds until its first key expires; a schedule, in which time is virtual, replaces them.
 */
export function defineScript<Args extends readonly (string | number)[]>(
  name: string,
  text: string,
  lock?: LockCommand,
  timeLeftAt?: number,
): Script<Args> {
  const loaded = { name, text, sha: createHash('sha1').update(text).digest('hex') };
  if (scripts.some(({ sha }) => sha === loaded.sha)) return loaded; // the explorer evaluates the library's module once per process
  nameScript(loaded.sha, {
    name,
    ...(lock !== undefined && { lock }),
    ...(timeLeftAt !== undefined && { timeLeftAt }),
  });
  scripts.push(loaded);
  return loaded;
}

// commands on a lock
export const acquireWithExpiry = script<[token: string, leaseMs: number]>(
  'acquire-with-expiry',
  ACQUIRES_IF_FREE,
);
export const acquireWithFence = script<[owner: string, leaseMs: number]>(
  'acquire-with-fence',
  ACQUIRES_IF_FREE,
);
export const acquireReentrant = script<[owner: string, leaseMs: number, held: number]>(
  'acquire-reentrant',
  ACQUIRES_IF_FREE_OR_OWNER,
);
export const acquireFair = script<[token: string, leaseMs: number, time: number | string]>(
  'acquire-fair',
  ACQUIRES,
);
export const acquireWrite = script<[owner: string, leaseMs: number, markMs: number]>(
  'acquire-write',
  ACQUIRES,
);
export const joinReaders = script<[owner: string, leaseMs: number]>('join-readers', INSPECTS);
export const takeTurn = script<[token: string, leaseMs: number]>('take-turn', {
  role: 'acquire',
  succeeded: (reply) => reply === 1, // a text is our answer
  onlyIf: 'free',
});
export const renewIfOwner = script<[token: string, leaseMs: number]>('renew-if-owner', RENEWS_IF_OWNER);
export const releaseIfOwner = script<[token: string] | [token: string, notify: Notify]>(
  'release-if-owner',
  RELEASES_IF_OWNER,
);
export const releaseReentrant = script<[owner: string] | [owner: string, notify: Notify]>(
  'release-reentrant',
  RELEASES,
);
export const releaseFair = script<[token: string, time: number | string]>('release-fair', RELEASES);

// orders and counts
export const answerOrder = script<[id: string, answer: string, keptMs: number]>('answer-order');
export const takeStock = script<[units: number, operation: string]>('take-stock');
export const settleStock =
  script<[operation: string, outcome: 'sold' | 'unsold' | 'missing']>('settle-stock');
export const countUnits = script<[units: number]>('count-units');
export const correctCount = script<[reconciliation: string, stock: number, count: number]>('correct-count');
export const changeCount = script<[units: number]>('change-count');

/** Runs a script on its key or keys, the lock first. Loads it again after a restart or a failover (NOSCRIPT). */
export function run<Args extends readonly (string | number)[]>(
  redis: Redis,
  { sha, text }: Script<Args>,
  key: string | readonly [lock: string, ...others: string[]],
  ...args: Args
): Promise<unknown> {
  const keys = typeof key === 'string' ? [key] : key;
  const call = (): Promise<unknown> => redis.evalsha(sha, keys.length, ...keys, ...args);
  return call().catch(async (error: unknown) => {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
    await redis.script('LOAD', text);
    return call();
  });
}

/** Loads all scripts, at every connect, so that a first call takes the same steps as any other. */
export async function loadScripts(redis: Redis): Promise<void> {
  for (const { text } of scripts) await redis.script('LOAD', text);
}
