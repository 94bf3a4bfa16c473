import type { Capability, FaultName } from '#lab/strategy';
import type { ScheduleViolationKind } from '#lab/verdict';

/** An answer that is one schedule: a replay token in answer.txt. */
export interface ScheduleTask {
  readonly kind: 'schedule';
  readonly strategy: string;
  /** The violation that the schedule must show. */
  readonly violation: ScheduleViolationKind;
  /** Maximum number of decisions: see `countDecisions`. Absent: any number. */
  readonly decisions?: number;
  /** The faults that the schedule may have. Absent: any. */
  readonly faults?: readonly FaultName[];
}

/** A lock or strategy to fix, until it keeps these promises. */
export interface PromisesTask {
  readonly kind: 'promises';
  /** The file that the learner edits. */
  readonly file: string;
  readonly promises: readonly Capability[];
}

/** A lock with an unknown bug: answer.txt names a broken promise of the original, and the fixed file keeps all of these. */
export interface BugTask {
  readonly kind: 'bug';
  readonly file: string;
  readonly promises: readonly Capability[];
  /** The number of locks; a seed chooses one: see `bugOf`. */
  readonly bugs: number;
}

/** A subject to fix, until no schedule violates an invariant. */
export interface SubjectTask {
  readonly kind: 'subject';
  readonly file: string;
}

export type Task = ScheduleTask | PromisesTask | BugTask | SubjectTask;

export interface Exercise {
  /** The name of its folder under walkthroughs/exercises, for example `02-release-script`. */
  readonly id: string;
  readonly number: number;
  readonly task: Task;
}

/** The file with the answer of a `schedule` or `bug` task. */
export const ANSWER = 'answer.txt';

/** An exercise cannot be started, checked or reset. The message says what to do next. */
export class ExerciseError extends Error {
  readonly code = 'EXERCISE.FOLDER';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ExerciseError';
  }
}
