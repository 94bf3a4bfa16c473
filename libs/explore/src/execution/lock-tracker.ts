import type { LockChange, LockState } from '#lab/verdict';
import { shownLock, type LockReading } from '../world';

/** A lock that ends, and when, in virtual time. */
export interface LockExpiry {
  readonly store: string;
  readonly lock: string;
  /** As people read it. */
  readonly key: string;
  readonly at: number;
}

interface Entry {
  readonly store: string;
  readonly lock: string;
  content: string;
  owner: string | undefined;
  /** Virtual time; undefined: never. */
  expiresAt: number | undefined;
}

/** What is known of the locks: who has taken them, and when they end in virtual time. Keyed as people read them. */
export class LockTracker {
  private readonly entries = new Map<string, Entry>();
  private readonly versions = new Map<string, number>();
  private readonly holders = new Map<string, string | undefined>();
  /** The actor that has first named a token in a command: it is that actor's. An actor's own name is one of its tokens. */
  private readonly tokens: Map<string, string>;

  /** `parts`: in how many places one lock has a part. Who has more than half of them holds it. */
  constructor(
    actors: readonly string[],
    private readonly parts = 1,
  ) {
    this.tokens = new Map(actors.map((name) => [name, name]));
  }

  /**
   * Notes the tokens in a step of `actor`, before it is issued: a server may show them in the next reading, which another
   * actor's step may cause.
   */
  noteTokens(actor: string, text: string): void {
    for (const [token] of text.matchAll(TOKENS)) if (!this.tokens.has(token)) this.tokens.set(token, actor);
  }

  /**
   * Counts the changes of a lock, wherever it lives; changes of its time to live alone do not count. Of a lock in parts
   * only those count after which it may be had: its holder is none any more, or no part is left.
   */
  version(lock: string): number {
    return this.versions.get(lock) ?? 0;
  }

  /** True when no part of a lock in parts is taken: a try that failed did so for another reason than a holder. */
  isVacant(lock: string): boolean {
    return this.parts > 1 && ![...this.entries.values()].some((entry) => entry.lock === lock);
  }

  /** True when the actor has this lock, or this part of it. */
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

  /** What is left of the locks in a place that end, milliseconds. */
  leases(store: string, now: number): ReadonlyMap<string, number> {
    const here = [...this.entries.values()].filter((entry) => entry.store === store);
    return new Map(
      here.flatMap(({ lock, expiresAt }) =>
        expiresAt === undefined ? [] : [[lock, Math.max(Math.ceil(expiresAt - now), LEAST_TTL_MS)]],
      ),
    );
  }

  /** The locks that will end, the first one first. */
  expiring(): LockExpiry[] {
    return [...this.entries]
      .flatMap(([key, { store, lock, expiresAt }]) =>
        expiresAt === undefined ? [] : [{ store, lock, key, at: expiresAt }],
      )
      .sort((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1));
  }

  /** True when there is a lock in this place. */
  hasAnyIn(store: string): boolean {
    return [...this.entries.values()].some((entry) => entry.store === store);
  }

  /** True when the actor has a lock in this place. */
  isHeldIn(store: string, actor: string): boolean {
    return [...this.entries.values()].some((entry) => entry.store === store && entry.owner === actor);
  }

  /** Takes in what a place holds after a step of `by`, whose arguments were `args`: they say its lease. Returns what changed. */
  update(
    store: string,
    readings: readonly LockReading[],
    now: number,
    by?: string,
    args: readonly string[] = [],
  ): LockChange[] {
    const changes: LockChange[] = [];
    const seen = new Set(readings.map(({ lock }) => lock));
    for (const [key, entry] of this.entries)
      if (entry.store === store && !seen.has(entry.lock)) changes.push(this.gone(key, entry, 'released', by));
    for (const reading of readings) changes.push(...this.present(store, reading, now, by, args));
    return changes;
  }

  /** A lock has ended. */
  expire(key: string): LockChange[] {
    const entry = this.entries.get(key);
    return entry === undefined ? [] : [this.gone(key, entry, 'expired')];
  }

  /** A lock could not end now: it does so at `at`, virtual time. */
  postpone(key: string, at: number): void {
    const entry = this.entries.get(key);
    if (entry !== undefined) entry.expiresAt = at;
  }

  /** The actor's locks in this place last until `at`. */
  renew(store: string, actor: string, at: number): LockChange[] {
    return [...this.entries].flatMap(([key, entry]): LockChange[] => {
      if (entry.store !== store || entry.owner !== actor || entry.expiresAt === at) return [];
      entry.expiresAt = at;
      return [{ key, change: 'renewed', by: actor, owner: actor }];
    });
  }

  /** Who has the lock. */
  ownerOf(key: string): string | undefined {
    return this.entries.get(key)?.owner;
  }

  /** A place has lost all that it had. */
  flush(store: string): LockChange[] {
    return [...this.entries]
      .filter(([, entry]) => entry.store === store)
      .map(([key, entry]) => this.gone(key, entry, 'flushed'));
  }

  private gone(key: string, entry: Entry, change: LockChange['change'], by?: string): LockChange {
    this.entries.delete(key);
    this.bump(entry.lock);
    return { key, ...this.partOf(entry.lock), change, ...actors(by, entry.owner) };
  }

  private partOf(lock: string): { lock?: string } {
    return this.parts > 1 ? { lock } : {};
  }

  private present(
    store: string,
    reading: LockReading,
    now: number,
    by: string | undefined,
    args: readonly string[],
  ): LockChange[] {
    const { lock, content, token, ttlMs, renewed, queued } = reading;
    const key = shownLock(store, lock);
    const old = this.entries.get(key);
    if (queued === true) return this.presentHead(store, reading, old, now, by, args);
    const isSame = old?.content === content;
    const expiresAt =
      isSame && renewed !== true ? old.expiresAt : ttlMs < 0 ? undefined : now + granted(ttlMs, args);
    const newOwner = isSame ? old.owner : (this.actorOf(token) ?? by);
    this.entries.set(key, {
      store,
      lock,
      content,
      owner: newOwner,
      expiresAt,
    });
    if (isSame)
      return old.expiresAt === expiresAt
        ? []
        : [{ key, ...this.partOf(lock), change: 'renewed', ...actors(by, old.owner) }];
    this.bump(lock);
    const isHandedOver = old !== undefined && old.owner === by && newOwner !== by;
    if (isHandedOver)
      return [
        { key, ...this.partOf(lock), change: 'released', ...actors(by, by) },
        { key, ...this.partOf(lock), change: 'taken', ...actors(newOwner) },
      ];
    const change = old === undefined ? 'taken' : 'replaced';
    return [{ key, ...this.partOf(lock), change, ...actors(by, old?.owner) }];
  }

  /** The head of a queue: nobody overwrites it; one goes, and the next one has the lock, whether it knows or not. */
  private presentHead(
    store: string,
    { lock, content, token }: LockReading,
    old: Entry | undefined,
    now: number,
    by: string | undefined,
    [leaseMs]: readonly string[],
  ): LockChange[] {
    const key = shownLock(store, lock);
    if (old?.content === content) return [];
    const left = old === undefined ? [] : [this.gone(key, old, 'released', by)];
    const expiresAt = now + Number(leaseMs);
    const owner = this.actorOf(token);
    this.entries.set(key, { store, lock, content, owner, expiresAt });
    this.bump(lock);
    return [...left, { key, change: 'taken', ...actors(owner) }];
  }

  private actorOf(token: string | undefined): string | undefined {
    return token === undefined ? undefined : this.tokens.get(token);
  }

  private bump(lock: string): void {
    const before = this.holders.get(lock);
    const holder = this.holderOf(lock);
    this.holders.set(lock, holder);
    const mayBeHad = (before !== undefined && holder !== before) || this.isVacant(lock);
    if (this.parts === 1 || mayBeHad) this.versions.set(lock, this.version(lock) + 1);
  }

  private holderOf(lock: string): string | undefined {
    const owners = [...this.entries.values()].filter((entry) => entry.lock === lock);
    return owners
      .map(({ owner }) => owner)
      .find((owner) => owners.filter((entry) => entry.owner === owner).length > this.parts / 2);
  }
}

/** The shortest lease with which a step is sent, milliseconds: a shorter one could end by itself before the step is executed. */
const LEAST_TTL_MS = 1000;

/** Tokens that are made once: a UUID, or a process' UUID and one of its own. */
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const TOKENS = new RegExp(`${UUID}(?::${UUID})?`, 'g');

const actors = (by?: string, owner?: string): { by?: string; owner?: string } => ({
  ...(by !== undefined && { by }),
  ...(owner !== undefined && { owner }),
});

/**
 * The lease that a command granted. The server says what is left of it some moments later; the command's own argument,
 * in milliseconds or seconds, is the exact number, however late that was: the next one above.
 */
function granted(ttl: number, args: readonly string[]): number {
  const candidates = args
    .filter((arg) => /^\d+$/.test(arg))
    .flatMap((arg) => [Number(arg), Number(arg) * 1000])
    .filter((ms) => ms >= ttl)
    .sort((a, b) => a - b);
  return candidates[0] ?? ttl;
}
