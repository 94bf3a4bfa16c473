import type { HistoryLine } from '#lab/step';

/** Whether a line is of an app whose replicas run strategies: the order app only asks one of them. */
export const runsStrategies = ({ app }: { readonly app: string }): boolean => app !== 'order';

/** A movement as the database of the balances has it, in the order of the inserts. */
export interface Movement {
  readonly id: number;
  /** Whose values `before` and `after` are; null: those of the balance's own row. */
  readonly segment: number | null;
  readonly delta: number;
  readonly before: number;
  readonly after: number;
  readonly request: string;
  readonly replica: string;
  readonly strategy: string;
  readonly at: string;
}

/** A lock key that was there after the run. `ttlMs` null: it never ends by itself. */
export interface RemainingLock {
  readonly key: string;
  readonly value: string | null;
  readonly ttlMs: number | null;
}

/** A row over which the stock was split, and what was in it first and last. */
export interface RemainingSegment {
  readonly segment: number;
  readonly initial: number;
  readonly amount: number;
}

/** What a client was told, or `code` `NO_ANSWER`. Times in milliseconds since the run began. */
export interface ClientAnswer {
  readonly request: string;
  readonly status: number;
  /** `APPLIED`, or the stable code of the problem. */
  readonly code: string;
  /** Units, of each product of a cart. */
  readonly quantity: number;
  /** The `Idempotency-Key` under which it was asked for, where there was one: several answers may share it. */
  readonly key?: string;
  /** The products that it wanted, where that is a cart. */
  readonly cart?: readonly string[];
  readonly replica: string | null;
  readonly at: number;
  readonly tookMs: number;
}

/** Everything that a verdict on a load run is computed from. */
export interface Evidence {
  readonly sku: string;
  readonly strategy: string;
  readonly initial: number;
  readonly finalStock: number;
  readonly movements: readonly Movement[];
  /** The rows over which the stock was split; none: it was not. */
  readonly segments: readonly RemainingSegment[];
  /** The requests that have an order; of an account, those whose clients were told that they are entered. */
  readonly orders: readonly { readonly request: string }[];
  readonly history: readonly HistoryLine[];
  readonly locks: readonly RemainingLock[];
  readonly answers: readonly ClientAnswer[];
  /** Replicas that took part, of the app whose balance it is. */
  readonly replicas: number;
  /** Faults that the run asked for, as their `x-fault` source. */
  readonly faults: readonly string[];
  /** The faults are meant for a request that holds the lock while others are there: elsewhere they prove nothing. */
  readonly amidst?: boolean;
  /** A server that was killed before the buyers came. */
  readonly down?: string;
  /** Something still happened while the rows were read: they may not belong together. */
  readonly moving?: boolean;
}

/** The code of an answer that the shop does not document: a failure without a problem of its own, or of the proxy. */
export const isUndocumented = (code: string): boolean => code === 'INTERNAL' || code.startsWith('HTTP ');
