import type { Choice } from '../schedule';
import type { SleepingChoice } from './reduction';

/** A choice to explore at a decision. */
export interface Branch extends SleepingChoice {
  /** The branch is redundant when all these choices sleep in it; see `RedundancyDetector`. Absent: it may not be redundant. */
  readonly redundantIfAsleep?: readonly Choice[];
}

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
  readonly awake: readonly Branch[];
  /** Position in `awake` of the choice with which the schedule itself continues: a step, where there is one. */
  readonly taken: number;
  /** Share of the tree of each of them. */
  readonly share: number;
}
