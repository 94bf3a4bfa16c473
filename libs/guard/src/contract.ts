import type { EffectViolationKind, FaultName, Protection, Tools, ViolationKind } from '#lab/strategy';
import type { Delivery } from '#lab/step';
import type { Redis } from 'ioredis';
import type { DataSource } from 'typeorm';

/** What a guard works with: the tools of a strategy, with the tables of its use instead of balances. */
export interface GuardTools extends Omit<Tools, 'balances'> {
  readonly sql: DataSource;
  /** A random number from 0 (included) to 1 (excluded). In schedules it depends on the actor alone. */
  readonly random: () => number;
}

/** One request for an action. */
export interface Action {
  /** What the action is done for, of which there may be one effect: an order, a form, a message. */
  readonly key: string;
  readonly request: string;
  readonly replica: string;
}

/**
 * How an action ended: this request did it, found it done (or being done) and left it, or found nothing to do. `value`: what it
 * was about, where the client did not choose it: a number, a message.
 */
export interface Done {
  readonly outcome: 'done' | 'already-done' | 'nothing-to-do';
  readonly value?: string | number;
  /** The page that its reader receives. */
  readonly page?: Page;
  /** The coupon that the client asked for; null: there is none. */
  readonly coupon?: Coupon | null;
}

/** A page as its reader receives it. */
export interface Page {
  readonly text: string;
  /** The request that built it. */
  readonly builtBy: string;
  /** How long ago it had expired when it was read, by the clock of Redis, milliseconds; 0: it was fresh. */
  readonly staleMs: number;
}

export interface Coupon {
  readonly percent: number;
}

export const DONE: Done = { outcome: 'done' };
export const ALREADY_DONE: Done = { outcome: 'already-done' };
export const NOTHING_TO_DO: Done = { outcome: 'nothing-to-do' };

/** One way to protect an action, safe or not. */
export interface Guard extends Protection {
  /** The name in commands and tokens: `notification/lock`. In a request: `?guard=lock`. */
  readonly name: `${UseName}/${string}`;
  /** What to use instead, and what it changes. */
  readonly next: { readonly guard?: string; readonly why: string };
  /**
   * The violations that it shows, by the fault of a run or schedule; `none`: without a fault. No entry means no violation.
   * `may`: they can occur besides.
   */
  readonly expected: Partial<Readonly<Record<FaultName | 'none', GuardExpectation>>>;
  /** Does the action, or leaves it. Throws `LockNotObtained`, or the error of a server. */
  apply(action: Action, tools: GuardTools): Promise<Done>;
}

/** Violations that must be found, and violations that may be found as well. */
export interface GuardExpectation {
  readonly must: readonly ViolationKind[];
  readonly may?: readonly ViolationKind[];
}

/** An effect of an action, in the order of the effects. */
export interface Effect {
  readonly key: string;
  readonly request: string;
  /** The epoch of the leader that made it. */
  readonly epoch?: number;
  /** When it was made, by the clock of the database, milliseconds since 1970. */
  readonly at?: number;
  /** When the page expires that it put into the cache, by the clock of Redis, milliseconds since 1970. */
  readonly expiresAt?: number;
}

/** What must be true of the effects of a use. */
export interface EffectRules {
  /** The effect in sentences, followed by its key: `message for order`. */
  readonly effect: string;
  /** The violation when a key has a second effect. */
  readonly second: EffectViolationKind & ('duplicate' | 'repeated-work');
  /** Whether a client that is answered "done" relies on an effect with the key of its action. */
  readonly isPromised: boolean;
  /** A run without any effect can be safe: a guard may prevent all of them. */
  readonly mayHaveNone?: true;
  /** `avalanche`: the largest share of the pages that may expire within one second. */
  readonly expiringPerSecond?: number;
}

/** Where the effects of a use are read. */
export interface EffectSources {
  readonly query: (sql: string) => Promise<readonly object[]>;
  readonly redis: Redis;
  /** What the gateway delivered. */
  readonly deliveries: () => Promise<readonly Delivery[]>;
}

export type UseName =
  | 'notification'
  | 'submission'
  | 'page'
  | 'coupon'
  | 'warm-up'
  | 'order-number'
  | 'job'
  | 'leader'
  | 'consumption';

/** A use of locks other than the stock: an action, its effects, and the guards that protect it. */
export interface Use {
  readonly name: UseName;
  /** What is done, in one sentence. */
  readonly action: string;
  /** `POST /orders/{key}/notifications`. */
  readonly endpoint: `${'GET' | 'POST'} /${string}`;
  readonly rules: EffectRules;
  /** Its tables, emptied by a reset. The first one has a row for each effect, with its request. */
  readonly tables: readonly string[];
  /** The column of the first table with the key that the client names; absent: it names none. */
  readonly keyColumn?: string;
  /** Statements after the tables are empty: rows that actions expect. */
  readonly rows?: readonly string[];
  /**
   * Statements that set back what processes remember of the database, such as the numbers of a segment: only for processes
   * that begin. A running lab keeps it, since its processes keep their memory.
   */
  readonly remembered?: readonly string[];
  /** All committed effects in their order. */
  readonly effects: (sources: EffectSources) => Promise<readonly Effect[]>;
  /** Prepares Redis for actions with these keys. */
  readonly prepare?: (keys: readonly string[], preparing: Preparing) => Promise<void>;
  readonly guards: readonly Guard[];
}

/** What a use is prepared with. */
export interface Preparing extends Pick<GuardTools, 'redis'>, Partial<OldPages> {
  /** The time of scripts, milliseconds; -1: the clock of Redis. */
  readonly time: number;
}

/** The pages that are in the cache before the first action. */
export interface OldPages {
  /** When they expire, milliseconds from the reset; 0: they have expired. */
  readonly expiresInMs: number;
  /** How long it took to build them, milliseconds. */
  readonly buildMs: number;
}
