import type { EndEvent, ScheduleHistory } from './history';
import type { ScheduleVerdict } from './judge';
import type { ScheduleViolation } from './violation';

/** Judges one schedule of a rate limiter: requests that were admitted, and keys that never expire. */
export function judgeLimitSchedule(promise: number, { events, final }: ScheduleHistory): ScheduleVerdict {
  const admitted = events.filter(
    (event): event is EndEvent => event.type === 'end' && event.code === 'APPLIED',
  );
  const { endlessKeys = [] } = final;
  const over: ScheduleViolation[] =
    admitted.length <= promise
      ? []
      : [
          {
            kind: 'over-limit',
            sentence: `${admitted.map(({ actor }) => actor).join(' and ')} were admitted in one window; the limiter promises ${promise} at most`,
            at: admitted.map(({ n }) => n),
          },
        ];
  const blocked = endlessKeys.map((key): ScheduleViolation => ({
    kind: 'blocked-forever',
    sentence: `${key} has no expiry: when it has reached the limit, the client is refused for ever`,
    at: [],
  }));
  return { violations: [...over, ...blocked], sold: admitted.length };
}
