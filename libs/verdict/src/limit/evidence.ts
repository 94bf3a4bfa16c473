import type { Limit, LimitExpectation, LimitViolationKind } from '#lab/limit';
import type { DecisionLine } from '#lab/step';
import type { VerdictWord } from '../load/judge';
import type { Mark } from '../mark';

/** Everything that the verdict on a rate limiter is computed from. */
export interface LimitEvidence {
  readonly limiter: string;
  readonly limit: Limit;
  /** How many requests of one client the limiter promises to admit at most, in any window. */
  readonly promise: number;
  /** What the replicas have recorded about all clients of the run. */
  readonly decisions: readonly DecisionLine[];
  /** Clients that sent the same load at the same time: their admitted requests are compared. */
  readonly peers: readonly string[];
  /** Keys of the limiter that existed after the run and had no expiry. */
  readonly endlessKeys: readonly { readonly client: string; readonly key: string }[];
  /** Why the run proves nothing: a request that came too late, a fault that did not fire. */
  readonly unproved: readonly string[];
}

/** The most requests that one client had admitted in any window. */
export interface MostAdmitted {
  readonly client: string;
  readonly admitted: number;
  /** The time of the first of them, milliseconds of the clock. */
  readonly from: number;
  /**
   * `redis`: the script of the limiter read the clock of Redis (TIME) when it decided. `host`: the limiter does not read it; all
   * replicas of a lab have the monotonic clock of their host in common, and recorded when they knew the decision.
   */
  readonly clock: 'redis' | 'host';
}

export interface LimitVerdict {
  readonly most: MostAdmitted;
  readonly promise: number;
  /** Fewest admitted requests of one client divided by the most of another, among clients with the same load. */
  readonly fairness: number;
  /** Admitted requests per second of these clients, per client. */
  readonly admittedPerSecond: number;
  /** `max` per window, per second. */
  readonly promisedPerSecond: number;
  readonly violations: readonly LimitViolationKind[];
  readonly mark: Mark;
  readonly verdict: VerdictWord;
  /** The reasons, one sentence each. */
  readonly because: readonly string[];
  readonly expected: LimitExpectation;
  readonly asExpected: boolean;
}
