import {
  LIMITERS,
  limitOf,
  type Limit,
  type LimitCircumstance,
  type Limiter,
  type OnError,
} from '#lab/limit';
import { PEERS } from './peers';

/** One load test of a limiter: a row of the table. */
export interface LimitRow {
  readonly limiter: Limiter;
  readonly limit: Limit;
  readonly circumstance: LimitCircumstance;
  /** `x-fault` of the requests after the edge of the window, or of the first request (`killed`). */
  readonly fault?: string;
  readonly onError?: OnError;
  /** How long a request may wait in a queue, milliseconds: its answer is not late. */
  readonly waitsMs?: number;
  /** The load waits until the list has twice the limit in tokens: how long that takes depends on timers. */
  readonly awaitsTokens?: true;
}

/** A whole number of seconds: a peer has no other windows. Long, so that a busy machine does not miss its edge. */
const WINDOW_MS = 2000;
const MAX = 10;

const row = (
  limiter: Limiter,
  circumstance: LimitCircumstance,
  {
    burst,
    ...more
  }: Partial<Pick<LimitRow, 'fault' | 'onError' | 'waitsMs' | 'awaitsTokens'>> & { burst?: number } = {},
): LimitRow => ({
  limiter,
  limit: limitOf(limiter, { max: MAX, windowMs: WINDOW_MS, burst }),
  circumstance,
  ...more,
});

/** What each limiter needs so that the load shows its defect every time. Absent: the load at the edge alone. */
const ROWS_OF: Readonly<Record<string, (limiter: Limiter) => readonly LimitRow[]>> = {
  'fixed-window-two-commands': (limiter) => [
    row(limiter, 'edge'),
    row(limiter, 'killed', { fault: 'after(INCR)=kill' }),
  ],
  'fixed-window': (limiter) => [
    row(limiter, 'edge'),
    row(limiter, 'killed', { fault: 'after(count-window)=kill' }),
    row(limiter, 'redis-down-closed', { onError: 'closed' }),
    row(limiter, 'redis-down-open', { onError: 'open' }),
  ],
  // every request counts before one of them adds: none sends its ZADD for so long
  'sliding-log-unatomic': (limiter) => [row(limiter, 'edge', { fault: 'after(read-log)=delay(400)' })],
  'token-list': (limiter) => [row(limiter, 'edge', { awaitsTokens: true })],
  'leaky-bucket': (limiter) => [
    row(limiter, 'edge'),
    row(limiter, 'edge', { burst: 5, waitsMs: (5 * WINDOW_MS) / MAX }),
  ],
};

/** All limiters that `lab limit` knows, the packages last. */
export const ALL_LIMITERS: readonly Limiter[] = [...LIMITERS, ...PEERS];

/** The rows of one limiter. */
export const rowsOf = (limiter: Limiter): readonly LimitRow[] =>
  ROWS_OF[limiter.name]?.(limiter) ?? [row(limiter, 'edge')];

/** The name of a row's limiter, with its burst. */
export const nameOf = ({ limiter: { name, burst }, limit }: LimitRow): string =>
  burst === undefined ? name : `${name} burst=${limit.burst}`;

/** The name of a row: the limiter, and the circumstance of its run. */
export const titleOf = (row: LimitRow): string =>
  row.circumstance === 'edge' ? nameOf(row) : `${nameOf(row)}, ${row.circumstance}`;
