import type { EndEvent, ScheduleHistory } from './history';
import type { ScheduleVerdict } from './judge';
import type { ScheduleViolation } from './violation';

/** What a limiter promises, and requests that it admitted before the schedule. */
interface PromisedLimit {
  readonly promise: number;
  readonly windowMs: number;
  /** Virtual times, milliseconds. */
  readonly earlier: readonly number[];
}

/** Judges one schedule of a rate limiter: requests that were admitted in any window, and keys that never expire. */
export function judgeLimitSchedule(
  { promise, windowMs, earlier }: PromisedLimit,
  { events, final }: ScheduleHistory,
): ScheduleVerdict {
  const admitted = events.filter(
    (event): event is EndEvent => event.type === 'end' && event.code === 'APPLIED',
  );
  const all = [
    ...earlier.map((at) => ({ at, who: 'an earlier request' })),
    ...admitted.map(({ at = 0, actor }) => ({ at, who: actor })),
  ];
  const windows = all.map(({ at: from }) => all.filter(({ at }) => at >= from && at < from + windowMs));
  const over = windows.find((window) => window.length > promise);
  const { endlessKeys = [] } = final;
  const overLimit: ScheduleViolation[] =
    over === undefined
      ? []
      : [
          {
            kind: 'over-limit',
            sentence: `${over.map(({ who }) => who).join(' and ')} were admitted in one window; the limiter promises ${promise} at most`,
            at: admitted.map(({ n }) => n),
          },
        ];
  const blocked = endlessKeys.map((key): ScheduleViolation => ({
    kind: 'blocked-forever',
    sentence: `${key} has no expiry: when it has reached the limit, the client is refused for ever`,
    at: [],
  }));
  return { violations: [...overLimit, ...blocked], sold: admitted.length };
}
