import type { ViolationKind } from '#lab/strategy';

/** What can go wrong in a schedule: all that a load run can show, and what only a schedule can. */
export type ScheduleViolationKind = ViolationKind | 'dead-lock' | 'starved' | 'lost-acknowledged';

export interface ScheduleViolation {
  readonly kind: ScheduleViolationKind;
  /** What happened, with names and positions, for a person. */
  readonly sentence: string;
  /** Positions of the events that show it. */
  readonly at: readonly number[];
}
