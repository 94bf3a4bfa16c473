import type { ScheduleHistory } from './history';
import { judgeHolders } from './holders';
import { judgeStock } from './stock';
import type { ScheduleViolation } from './violation';
import { judgeWaiting } from './waiting';

/** What one schedule shows. An empty list proves nothing beyond this schedule. */
export interface ScheduleVerdict {
  readonly violations: readonly ScheduleViolation[];
  readonly sold: number;
}

/** Judges one schedule from its history and the servers' final state. */
export function judgeSchedule(history: ScheduleHistory): ScheduleVerdict {
  return {
    violations: [...judgeStock(history), ...judgeHolders(history), ...judgeWaiting(history)],
    sold: history.final.movements.reduce((units, { delta }) => units - delta, 0),
  };
}
