import { HARMS, harmOf } from '../mark';
import type { ScheduleHistory } from './history';
import { judgeFailOpen } from './fail-open';
import { judgeHolders } from './holders';
import { judgeStock } from './stock';
import { SOLD_TWICE, type ScheduleViolation } from './violation';
import { judgeWaiting } from './waiting';

/** The verdict on one schedule, the worst violation first. An empty list holds for this schedule only. */
export interface ScheduleVerdict {
  readonly violations: readonly ScheduleViolation[];
  /** Units sold; of a guard, the number of effects. */
  readonly sold: number;
}

/** Judges one schedule by its history and the final state of the servers. */
export function judgeSchedule(history: ScheduleHistory): ScheduleVerdict {
  const stock = judgeStock(history);
  const isSoldTwice = stock.some(({ kind }) => SOLD_TWICE.includes(kind));
  return {
    violations: worstFirst([
      ...stock,
      ...judgeHolders(history),
      ...judgeFailOpen(history, isSoldTwice),
      ...judgeWaiting(history),
    ]),
    sold: history.final.movements.reduce((units, { delta }) => units - delta, 0),
  };
}

/** The violations by their harm, the worst first. */
export const worstFirst = (violations: readonly ScheduleViolation[]): readonly ScheduleViolation[] =>
  [...violations].sort((a, b) => HARMS.indexOf(harmOf(a.kind)) - HARMS.indexOf(harmOf(b.kind)));
