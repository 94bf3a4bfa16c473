import type { EndEvent, ScheduleHistory } from './history';
import { worstFirst, type ScheduleVerdict } from './judge';
import type { ScheduleViolation } from './violation';
import { neverEnded } from './waiting';

/** Judges one schedule of a user's subject: its invariants, and actors that wait for ever. */
export function judgeInvariants(history: ScheduleHistory): ScheduleVerdict {
  const { events, final } = history;
  const ends = events.filter((event): event is EndEvent => event.type === 'end');
  const broken = (final.broken ?? []).map(({ invariant, why }): ScheduleViolation => ({
    kind: 'invariant',
    sentence: why === '' ? `"${invariant}" is false` : `"${invariant}" is false: ${why}`,
    at: ends.map(({ n }) => n),
  }));
  return {
    violations: worstFirst([...broken, ...neverEnded(history)]),
    sold: ends.filter(({ code }) => code === 'APPLIED').length,
  };
}
