import { HARMS, harmOf } from '../mark';
import type { ScheduleHistory } from './history';
import { judgeHolders } from './holders';
import { judgeStock } from './stock';
import type { ScheduleViolation } from './violation';
import { judgeWaiting } from './waiting';

/** What one schedule shows, the worst violation first. An empty list proves nothing beyond this schedule. */
export interface ScheduleVerdict {
  readonly violations: readonly ScheduleViolation[];
  readonly sold: number;
}

/** Judges one schedule from its history and the servers' final state. */
export function judgeSchedule(history: ScheduleHistory): ScheduleVerdict {
  return {
    violations: [...judgeStock(history), ...judgeHolders(history), ...judgeWaiting(history)].sort(
      (a, b) => HARMS.indexOf(harmOf(a.kind)) - HARMS.indexOf(harmOf(b.kind)),
    ),
    sold: history.final.movements.reduce((units, { delta }) => units - delta, 0),
  };
}
