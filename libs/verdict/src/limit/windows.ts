import type { DecisionLine } from '#lab/step';
import { groupBy } from '../group-by';
import type { MostAdmitted } from './evidence';

/** Rounding adds up over the intervals of a queue: two times that are one window apart may look closer by so much. */
const ROUNDING_MS = 0.1;

/** The time of a decision on the clock of its run, milliseconds. */
export type TimeOf = (decision: DecisionLine) => number;

/** The clock of Redis if every admitted request has its time, else that of the host. */
export function clockOf(decisions: readonly DecisionLine[]): {
  clock: MostAdmitted['clock'];
  timeOf: TimeOf;
} {
  const isRead = decisions.every(({ admitted, at }) => !admitted || at !== undefined);
  return isRead
    ? { clock: 'redis', timeOf: ({ at, t }) => at ?? t / 1000 }
    : { clock: 'host', timeOf: ({ t }) => t / 1000 };
}

/** The most requests that one client had admitted in any window: [t, t + window) for every t. */
export function mostInAnyWindow(decisions: readonly DecisionLine[], windowMs: number): MostAdmitted {
  const { clock, timeOf } = clockOf(decisions);
  let most: MostAdmitted = { client: '', admitted: 0, from: 0, clock };
  const admitted = decisions.filter((decision) => decision.admitted);
  for (const [client, own] of groupBy(admitted, (decision) => decision.client)) {
    const times = own.map(timeOf).sort((a, b) => a - b);
    for (let first = 0, end = 0; end < times.length; end++) {
      while (timeAt(times, end) - timeAt(times, first) >= windowMs - ROUNDING_MS) first++;
      if (end - first + 1 > most.admitted)
        most = { client, admitted: end - first + 1, from: timeAt(times, first), clock };
    }
  }
  return most;
}

const timeAt = (times: readonly number[], i: number): number => times[i] ?? NaN;
