import type { Clock } from '#lab/step';
import type { LimitScheduleViolationKind } from '#lab/strategy';
import type { Redis } from 'ioredis';
import type { ProcessMemory } from './shared/process-memory';

/** A rate limit: `max` requests of one client in `windowMs`. */
export interface Limit {
  readonly max: number;
  /** Milliseconds. */
  readonly windowMs: number;
  /** Token bucket: tokens that a full bucket has. Leaky bucket: requests that can wait in its queue. Others ignore it. */
  readonly burst: number;
}

/** What a limiter decides about one request. */
export interface Decision {
  readonly admitted: boolean;
  /** The quota: `max`. */
  readonly limit: number;
  /** Requests that would be admitted now, after this one; by the limiter's own count. */
  readonly remaining: number;
  /** Milliseconds until more quota is available. */
  readonly resetMs: number;
  /** Refused requests only: milliseconds after which the client may try again. */
  readonly retryAfterMs?: number;
  /**
   * When Redis decided, milliseconds by its own clock (TIME); of a request that waited in a queue, when it left the queue.
   * Absent: the limiter does not read that clock, and the verdict uses the clock of the host.
   */
  readonly at?: number;
}

/** Everything that a limiter works with, passed explicitly. */
export interface LimiterTools {
  readonly redis: Redis;
  readonly clock: Clock;
  /** The memory of the process that serves the request. Other replicas cannot see it. */
  readonly process: ProcessMemory;
}

/** A kind of violation of a rate limit, in the words of the verdict. */
export type LimitViolationKind = LimitScheduleViolationKind | 'unfair' | 'limiter-down';

/**
 * A circumstance in which a limiter is judged, always with two replicas. `edge`: more requests than the limit before and
 * after the end of a window. `killed`: a replica dies between the commands of a decision. `redis-down-open` and
 * `redis-down-closed`: Redis is away, and the request chose `onError`.
 */
export type LimitCircumstance = 'edge' | 'killed' | 'redis-down-open' | 'redis-down-closed';

/** Violations that must occur, and violations that may occur as well. */
export interface LimitExpectation {
  readonly must: readonly LimitViolationKind[];
  readonly may: readonly LimitViolationKind[];
}

/** One way to limit the rate of a client's requests, correct or not. */
export interface Limiter {
  /** The name in a request: `?limit=token-bucket`. It never changes. */
  readonly name: string;
  /** How it works, in one sentence. */
  readonly mechanism: string;
  /** Its known defect, or what it costs. */
  readonly defect: string;
  /** The article, paper or documentation that it comes from. */
  readonly source: string;
  /** What to use instead: the limiter, where the catalogue has one, and what it changes. */
  readonly next: { readonly limiter?: string; readonly why: string };
  readonly options: readonly (keyof Limit)[];
  /** `burst` when the request does not choose it; absent: the limiter has no burst. */
  readonly burst?: { readonly least: number; readonly standard: (max: number) => number };
  /** How many requests of one client it promises to admit at most, in any window of `windowMs`. */
  readonly promise: (limit: Limit) => number;
  /**
   * A fixed window: it keeps its promise in the windows that requests open, and not at their edges. Packages with the same
   * promise are compared with it.
   */
  readonly fixedWindow?: true;
  /** The violations of a load run, by circumstance. No entry means no violation. */
  readonly expected: Partial<Readonly<Record<LimitCircumstance, LimitExpectation>>>;
  /** An npm package that the lab compares with, and not a part of it. */
  readonly peer?: true;
  /** The file that exports it, for a limiter that is not in the catalogue. */
  readonly module?: string;
  /** The keys of a client in Redis. Empty: the limiter keeps nothing there. */
  keys(client: string, limit: Limit): readonly string[];
  /** Decides about one request. Rejects with `DependencyDown` when Redis does not answer. */
  readonly decide: (client: string, limit: Limit, tools: LimiterTools) => Promise<Decision>;
}
