import type { ViolationKind } from '#lab/strategy';

/** The kinds of a schedule: those of a load run, and those that only a schedule can show. */
export type ScheduleViolationKind = ViolationKind | 'starved' | 'late' | 'fail-open' | 'invariant';

/** Kinds of violation in which a unit is sold twice or a sale is lost. */
export const SOLD_TWICE: readonly ScheduleViolationKind[] = ['oversold', 'lost-update', 'lost-acknowledged'];

export interface ScheduleViolation {
  readonly kind: ScheduleViolationKind;
  /** A description for people, with names and positions. */
  readonly sentence: string;
  /** Positions of the events that show it. */
  readonly at: readonly number[];
}
