import type { LockCondition, Step } from '#lab/step';
import type { LockChange, LockState } from '#lab/verdict';
import { shownLock, type LockReading, type NamedLocks } from '../world';

/** A lock with an expiry, in virtual time. */
export interface LockExpiry {
  readonly store: string;
  readonly lock: string;
  /** Display name. */
  readonly key: string;
  readonly at: number;
}

interface Entry {
  readonly store: string;
  readonly lock: string;
  content: string;
  /** Its value, when this is a text. */
  token: string | undefined;
  owner: string | undefined;
  /** Virtual time; undefined: no expiry. */
  expiresAt: number | undefined;
}

/** Tracks the locks: their owners, and their expiry in virtual time. Keyed by display name. */
export class LockTracker {
  private readonly entries = new Map<string, Entry>();
  /** Number of changes of owner, by the name of a lock or of one of its parts. */
  private readonly versions = new Map<string, Pick<Entry, 'store' | 'lock'> & { readonly version: number }>();
  /** By actor and name: the version at the last step of the actor on this lock or part. */
  private readonly seen = new Map<string, Map<string, number>>();
  private changed = 0;
  /** Owner of each token: the actor that sent it first. An actor's name is one of its tokens. */
  private readonly tokens: Map<string, string>;

  /** `parts`: number of stores that have a part of one lock. A majority holds it. */
  constructor(
    actors: readonly string[],
    private readonly parts = 1,
  ) {
    this.tokens = new Map(actors.map((name) => [name, name]));
  }

  /**
   * Records the tokens in a step of `actor`. Called before the step is issued, because another actor's step may read
   * them first.
   */
  recordTokens(actor: string, text: string): void {
    for (const [token] of text.matchAll(TOKENS)) if (!this.tokens.has(token)) this.tokens.set(token, actor);
  }

  /** Notes a step of an actor whose reply shows whether these locks, or their parts in this store, are taken. */
  noteSeen(actor: string, { store, locks }: NamedLocks): void {
    const seen = this.seen.get(actor) ?? new Map<string, number>();
    this.seen.set(actor, seen);
    for (const [name, changed] of this.versions)
      if (locks === 'all' ? changed.store === store : locks.some((lock) => this.nameOf(store, lock) === name))
        seen.set(name, changed.version);
  }

  /** The locks and parts that have changed their owner since the last step of the actor on them. */
  unseenBy(actor: string): string[] {
    const seen = this.seen.get(actor);
    return [...this.versions]
      .filter(([name, { version }]) => version > (seen?.get(name) ?? 0))
      .map(([name]) => name);
  }

  /**
   * True when another attempt of the actor may have another result than its last one: the lock has changed since. A waiter does not
   * try a lock in parts while an actor holds a majority of them. It always may when all parts are free: no holder has refused it.
   */
  mayTake(actor: string, lock: string): boolean {
    const hasChanged = this.unseenBy(actor).some((name) => this.versions.get(name)?.lock === lock);
    if (this.parts === 1) return hasChanged;
    const owners = [...this.entries.values()].filter((part) => part.lock === lock).map(({ owner }) => owner);
    const isHeld = owners.some((one) => owners.filter((owner) => owner === one).length > this.parts / 2);
    return owners.length === 0 || (hasChanged && !isHeld);
  }

  /** Increases with each lock that is taken, renewed or freed. */
  get changes(): number {
    return this.changed;
  }

  /** True for a command that changes a lock only under a condition, which is not met: it would change nothing. */
  isWithoutEffect({ lock, key, server = '', text }: Step): boolean {
    return lock?.onlyIf !== undefined && key !== undefined && !this.meets(lock.onlyIf, server, key, text);
  }

  private meets(condition: LockCondition, store: string, lock: string, text: string): boolean {
    const entry = this.entries.get(shownLock(store, lock));
    if (entry === undefined) return condition !== 'owner';
    if (condition === 'free') return false;
    const [token] = text.match(TOKENS) ?? [];
    return token === undefined || entry.token === token || entry.owner === this.tokens.get(token);
  }

  /** True when the actor holds this lock, or this part of it. */
  isHeldBy(actor: string, store: string, lock: string): boolean {
    return this.entries.get(shownLock(store, lock))?.owner === actor;
  }

  states(): LockState[] {
    return [...this.entries].map(([key, { owner, expiresAt }]) => ({
      key,
      ...(owner !== undefined && { owner }),
      ...(expiresAt !== undefined && { expiresAt }),
    }));
  }

  /** Remaining leases of a store's locks, milliseconds. */
  leases(store: string, now: number): ReadonlyMap<string, number> {
    const inStore = [...this.entries.values()].filter((entry) => entry.store === store);
    return new Map(
      inStore.flatMap(({ lock, expiresAt }) =>
        expiresAt === undefined ? [] : [[lock, Math.max(Math.ceil(expiresAt - now), MIN_TTL_MS)]],
      ),
    );
  }

  /** Locks with an expiry, the earliest first. */
  expiring(): LockExpiry[] {
    return [...this.entries]
      .flatMap(([key, { store, lock, expiresAt }]) =>
        expiresAt === undefined ? [] : [{ store, lock, key, at: expiresAt }],
      )
      .sort((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1));
  }

  /** True when the store has a lock. */
  hasAnyIn(store: string): boolean {
    return [...this.entries.values()].some((entry) => entry.store === store);
  }

  /** True when the actor holds a lock in this store. */
  isHeldIn(store: string, actor: string): boolean {
    return [...this.entries.values()].some((entry) => entry.store === store && entry.owner === actor);
  }

  /**
   * Updates the tracker from the readings of a store after a step of `by`; `args` are its arguments, which contain
   * the lease. Returns the changes.
   */
  update(
    store: string,
    readings: readonly LockReading[],
    now: number,
    by?: string,
    args: readonly string[] = [],
  ): LockChange[] {
    const changes: LockChange[] = [];
    const seen = new Set(readings.map(({ lock }) => lock));
    const before = new Map(this.entries);
    for (const [key, entry] of this.entries)
      if (entry.store === store && !seen.has(entry.lock))
        changes.push(this.remove(key, entry, 'released', by));
    for (const reading of readings) {
      const kept = keptExpiry(reading, (lock) => before.get(shownLock(store, lock)), seen);
      changes.push(...this.recordReading(store, reading, now, by, args, kept));
    }
    return changes;
  }

  /** Removes an expired lock. */
  expire(key: string): LockChange[] {
    const entry = this.entries.get(key);
    return entry === undefined ? [] : [this.remove(key, entry, 'expired')];
  }

  /** Moves the expiry of a lock to `at`, virtual time. */
  postpone(key: string, at: number): void {
    const entry = this.entries.get(key);
    if (entry !== undefined) entry.expiresAt = at;
  }

  /** Extends the actor's locks in this store until `at`. */
  renew(store: string, actor: string, at: number): LockChange[] {
    return [...this.entries].flatMap(([key, entry]): LockChange[] => {
      if (entry.store !== store || entry.owner !== actor || entry.expiresAt === at) return [];
      entry.expiresAt = at;
      this.changed++;
      return [{ key, change: 'renewed', by: actor, owner: actor }];
    });
  }

  ownerOf(key: string): string | undefined {
    return this.entries.get(key)?.owner;
  }

  /** Removes all locks of a store that lost its data. */
  flush(store: string): LockChange[] {
    return [...this.entries]
      .filter(([, entry]) => entry.store === store)
      .map(([key, entry]) => this.remove(key, entry, 'flushed'));
  }

  private remove(key: string, entry: Entry, change: LockChange['change'], by?: string): LockChange {
    this.entries.delete(key);
    this.noteChange(entry);
    return { key, ...this.partOf(entry.lock), change, ...actors(by, entry.owner) };
  }

  private partOf(lock: string): { lock?: string } {
    return this.parts > 1 ? { lock } : {};
  }

  /** `kept`: when it expires, if the step has not set its time to live. */
  private recordReading(
    store: string,
    reading: LockReading,
    now: number,
    by: string | undefined,
    args: readonly string[],
    kept: number | undefined,
  ): LockChange[] {
    const { lock, content, token, ttlMs, isExact, renewed, queued, hasOwner } = reading;
    const key = shownLock(store, lock);
    const old = this.entries.get(key);
    if (queued === true) return this.recordQueueHead(store, reading, old, now, by, args);
    const isSame = old !== undefined && (old.content === content || isCounted(old.token, token, args));
    const granted = isExact === true ? ttlMs : grantedLease(ttlMs, args);
    const set = ttlMs < 0 ? undefined : now + granted;
    const expiresAt = kept ?? (isSame && renewed !== true ? old.expiresAt : set);
    const taker = hasOwner === false ? undefined : by;
    const isOwn = token !== undefined && args.includes(token); // also when another request of its process has sent it first
    const newOwner = isSame ? old.owner : isOwn ? taker : (this.actorOf(token) ?? taker);
    this.entries.set(key, {
      store,
      lock,
      content,
      token,
      owner: newOwner,
      expiresAt,
    });
    if (isSame && old.expiresAt !== expiresAt) this.changed++;
    if (isSame)
      return old.expiresAt === expiresAt
        ? []
        : [{ key, ...this.partOf(lock), change: 'renewed', ...actors(by, old.owner) }];
    this.noteChange({ store, lock });
    const isHandedOver = old !== undefined && old.owner === by && newOwner !== by;
    if (isHandedOver)
      return [
        { key, ...this.partOf(lock), change: 'released', ...actors(by, by) },
        { key, ...this.partOf(lock), change: 'taken', ...actors(newOwner) },
      ];
    const change = old === undefined ? 'taken' : 'replaced';
    return [{ key, ...this.partOf(lock), change, ...actors(taker, old?.owner) }];
  }

  /**
   * The head of a queue is never overwritten: it is removed, and the next entry holds the lock, whether or not its
   * client has noticed.
   */
  private recordQueueHead(
    store: string,
    { lock, content, token }: LockReading,
    old: Entry | undefined,
    now: number,
    by: string | undefined,
    [leaseMs]: readonly string[],
  ): LockChange[] {
    const key = shownLock(store, lock);
    if (old?.content === content) return [];
    const released = old === undefined ? [] : [this.remove(key, old, 'released', by)];
    const expiresAt = now + Number(leaseMs);
    const owner = this.actorOf(token);
    this.entries.set(key, { store, lock, content, token, owner, expiresAt });
    this.noteChange({ store, lock });
    return [...released, { key, change: 'taken', ...actors(owner) }];
  }

  private actorOf(token: string | undefined): string | undefined {
    return token === undefined ? undefined : this.tokens.get(token);
  }

  private noteChange({ store, lock }: Pick<Entry, 'store' | 'lock'>): void {
    this.changed++;
    const name = this.nameOf(store, lock);
    const version = (this.versions.get(name)?.version ?? 0) + 1;
    this.versions.set(name, { store, lock, version });
  }

  /** Each part of a lock changes on its own; of other locks the name is enough. */
  private nameOf(store: string, lock: string): string {
    return this.parts > 1 ? shownLock(store, lock) : lock;
  }
}

/**
 * Minimum lease with which a step is sent, milliseconds: a shorter one could expire in real time before the step is
 * executed.
 */
const MIN_TTL_MS = 1000;

/** Unique tokens: a UUID, the UUID of a process and a UUID of its own, or 16 random bytes. */
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const TOKENS = new RegExp(`${UUID}(?::${UUID})?|\\b[0-9a-f]{32}\\b`, 'g');

const actors = (by?: string, owner?: string): { by?: string; owner?: string } => ({
  ...(by !== undefined && { by }),
  ...(owner !== undefined && { owner }),
});

/**
 * The step counts in a lock that is held, as `INCR` does of a request that takes the lock when the reply is 1: the owner stays. A
 * number that another command writes is a new value, even when it is the next one; so is that of a script, whose
 * source is not in the step.
 */
const isCounted = (old: string | undefined, now: string | undefined, args: readonly string[]): boolean =>
  isPositive(old) &&
  isPositive(now) &&
  Math.abs(Number(old) - Number(now)) === 1 &&
  args.some((arg) => /\b(incr|decr)(by)?\b/i.test(arg));

const isPositive = (text: string | undefined): boolean => text !== undefined && /^[1-9]\d{0,14}$/.test(text);

/** When a lock expires whose step has not set its time to live: as before, or as the lock from which it was moved or copied. */
function keptExpiry(
  { lock, content, keepsExpiry, movedFrom }: LockReading,
  before: (lock: string) => Entry | undefined,
  left: ReadonlySet<string>,
): number | undefined {
  if (keepsExpiry !== true) return undefined;
  const own = before(lock);
  const source = movedFrom === undefined ? undefined : before(movedFrom);
  if (movedFrom === undefined || source === undefined) return own?.expiresAt;
  const isMoved = !left.has(movedFrom) || (content === source.content && content !== own?.content);
  return (isMoved ? source : own)?.expiresAt;
}

/**
 * The lease that a command granted. The server reports the time left some moments later; the smallest argument of the
 * command (milliseconds or seconds) that is not below it is the exact lease.
 */
function grantedLease(ttl: number, args: readonly string[]): number {
  const candidates = args
    .filter((arg) => /^\d+$/.test(arg))
    .flatMap((arg) => [Number(arg), Number(arg) * 1000])
    .filter((ms) => ms >= ttl)
    .sort((a, b) => a - b);
  return candidates[0] ?? ttl;
}
