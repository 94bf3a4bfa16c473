import type { Step } from '#lab/step';

/** What becomes of a step that is held at the gate. */
export type Directive = 'issue' | 'error' | 'lose-reply' | 'die';

/** A step before it is issued. */
export interface HeldStep {
  readonly step: Step;
  readonly task: ActorTask;
  /** Versions of the lock keys when it arrived: a waiting actor is woken when its key has another one. */
  readonly version: number;
  /** When it arrived, virtual time. */
  readonly since: number;
  /** It was looked at while it could not go on. */
  waited: boolean;
  release(directive: Directive): void;
}

/** A step that was issued and is not answered yet. */
export interface InFlightStep {
  /** Grows from one to the next. */
  readonly number: number;
  readonly step: Step;
  readonly task: ActorTask;
  /** The server said that it waits for a lock, and nothing has happened since that could have freed it. */
  blocked: boolean;
  /** The schedule has decided that its lock wait runs into the time-out: its answer comes next. */
  timedOut: boolean;
}

/** One line of control of an actor: its request, or one call of one of its timers. */
export interface ActorTask {
  readonly actor: string;
  /** One call of a timer; otherwise the request itself. */
  readonly isTimer: boolean;
  /** Set while time is moved: the strand's steps are issued as they come. */
  readonly auto: boolean;
  readonly held: HeldStep[];
  readonly inFlightSteps: Set<InFlightStep>;
  done: boolean;
  /** It has nothing under way and makes no step: it waits for another one in the memory of its process. */
  idle: boolean;
  /** It was idle before its next step. */
  waited: boolean;
  /** It has made a step. */
  begun: boolean;
}

/** Its actor waits for a lock before it tries again. Redis has a command of the same name, which is another matter. */
export const isWaiting = ({ kind, verb }: { readonly kind: string; readonly verb: string }): boolean =>
  kind === 'timer' && verb === 'WAIT';

/** A new line of control of an actor. */
export function startTask(
  actor: { readonly name: string; readonly tasks: ActorTask[] },
  { auto, isTimer }: Pick<ActorTask, 'auto' | 'isTimer'>,
): ActorTask {
  const task: ActorTask = {
    actor: actor.name,
    isTimer,
    auto,
    held: [],
    inFlightSteps: new Set(),
    done: false,
    idle: false,
    waited: false,
    begun: false,
  };
  actor.tasks.push(task);
  return task;
}

/** It runs, or waits in the memory of its process: it is not held, and no server has to answer it. */
export const isSilent = ({ done, held, inFlightSteps }: ActorTask): boolean =>
  !done && held.length === 0 && inFlightSteps.size === 0;

/** True when nothing will happen in this strand by itself. */
export const isQuiescent = (task: ActorTask): boolean =>
  (task.inFlightSteps.size === 0 && (task.done || task.idle || task.held.length > 0)) ||
  (task.inFlightSteps.size > 0 && [...task.inFlightSteps].every((inFlightStep) => inFlightStep.blocked));
