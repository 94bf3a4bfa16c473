import type { SleepingChoice } from './reduction';

/** A decision of a schedule. */
export interface Node {
  /** Position in the choices of the schedule. */
  readonly at: number;
  /** See `stateOf`. Undefined: unknown, or of no use. */
  readonly state: string | undefined;
  readonly sleepSet: readonly SleepingChoice[];
  /**
   * The choices to explore here, in the order of their sleep sets: each one sleeps in the subtrees of those behind it. Faults
   * are first, because a schedule in which only faults sleep can be completed.
   */
  readonly awake: readonly SleepingChoice[];
  /** Position in `awake` of the choice with which the schedule itself continues: a step, where there is one. */
  readonly taken: number;
  /** Share of the tree of each of them. */
  readonly share: number;
}
