import type { HistoryLine } from '#lab/step';

/** Whether the app of a line runs strategies. The order app does not: it calls an app that does. */
export const runsStrategies = ({ app }: { readonly app: string }): boolean => app !== 'order';

/** A row of the movement table. Movements are in insertion order. */
export interface Movement {
  readonly id: number;
  /** The segment that `before` and `after` belong to; null: the balance's own row. */
  readonly segment: number | null;
  readonly delta: number;
  readonly before: number;
  readonly after: number;
  readonly request: string;
  readonly replica: string;
  readonly strategy: string;
  readonly at: string;
}

/** A lock key that existed after the run. `ttlMs` null: it has no expiry. */
export interface RemainingLock {
  readonly key: string;
  readonly value: string | null;
  readonly ttlMs: number | null;
}

/** One row of a split stock, with its first and last amount. */
export interface RemainingSegment {
  readonly segment: number;
  readonly initial: number;
  readonly amount: number;
}

/** The response to a client; `code` is `NO_ANSWER` without one. Times are milliseconds since the start of the run. */
export interface ClientAnswer {
  readonly request: string;
  readonly status: number;
  /** `APPLIED`, or the stable code of the problem. */
  readonly code: string;
  /** Units; of a cart, units of each product. */
  readonly quantity: number;
  /** The `Idempotency-Key` of the request, if any. Several answers may share it. */
  readonly key?: string;
  /** The requested products, if the request is a cart. */
  readonly cart?: readonly string[];
  readonly replica: string | null;
  readonly at: number;
  readonly tookMs: number;
  /** How long after its due time the request was sent. Absent: it was due when it was sent. */
  readonly lateMs?: number;
}

/** The complete input of the verdict on a load run. */
export interface Evidence {
  /** The product, or the account. */
  readonly balance: string;
  readonly strategy: string;
  readonly initial: number;
  readonly finalStock: number;
  readonly movements: readonly Movement[];
  /** The rows of a split stock; empty if it was not split. */
  readonly segments: readonly RemainingSegment[];
  /** The requests that have an order; for an account, the requests whose entry was confirmed to the client. */
  readonly orders: readonly { readonly request: string }[];
  readonly history: readonly HistoryLine[];
  readonly locks: readonly RemainingLock[];
  readonly answers: readonly ClientAnswer[];
  /** The number of replicas that took part, of the app that owns the balance. */
  readonly replicas: number;
  /** The requested faults, as `x-fault` sources. */
  readonly faults: readonly string[];
  /** The faults must hit a lock holder while other requests run. A fault elsewhere proves nothing. */
  readonly amidst?: boolean;
  /** A server that was killed before the first request. */
  readonly down?: string;
  /** Requests were active while the rows were read: the rows may be inconsistent. */
  readonly moving?: boolean;
}

/** Whether an answer has no documented code: an unexpected failure of the app, or an error of the proxy. */
export const isUndocumented = (code: string): boolean => code === 'INTERNAL' || code.startsWith('HTTP ');
