import type { Step } from '#lab/step';
import { namedLockWaitMs } from '../world';

/** How a held step is released. */
export type ReleaseMode = 'issue' | 'error' | 'lose-reply' | 'die';

/** A step before it is issued. */
export interface HeldStep {
  readonly step: Step;
  readonly task: ActorTask;
  /** Virtual time at which it arrived. */
  readonly since: number;
  /** The call stack that issued it, and those of the calls around it, if the world keeps stacks. */
  readonly stacks?: readonly string[];
  /** The step was disabled at least once while it was held. */
  wasDelayed: boolean;
  release(mode: ReleaseMode): void;
}

/** A step that was issued and is unanswered. */
export interface InFlightStep {
  /** Increases in the order of issue. */
  readonly number: number;
  readonly step: Step;
  readonly task: ActorTask;
  /** The server reported that it waits for a lock, and no event since could have freed the lock. */
  blocked: boolean;
  /** The schedule has ended its lock wait by timeout: the next event is its answer. */
  timedOut: boolean;
  /** Its answer has arrived, and is being recorded. */
  answered: boolean;
}

/** One async task of an actor: its request, or one call of one of its timers. */
export interface ActorTask {
  readonly actor: string;
  /** True: one call of a timer. False: the request. */
  readonly isTimer: boolean;
  /** Steps are issued without being held, while virtual time advances. */
  readonly auto: boolean;
  readonly held: HeldStep[];
  readonly inFlightSteps: Set<InFlightStep>;
  done: boolean;
  /** Waits for another task in the memory of its process, and cannot continue by itself. */
  idle: boolean;
  /** It was idle before its next step. */
  wasIdle: boolean;
  /** It has issued a step. */
  begun: boolean;
}

/** The wait between two attempts to acquire a lock. Not the Redis command WAIT, which replicates. */
export const isWaiting = ({ kind, verb }: { readonly kind: string; readonly verb: string }): boolean =>
  kind === 'timer' && verb === 'WAIT';

/** How long a step waits in its server until that gives up, milliseconds: a command in Redis or a GET_LOCK. Undefined: not, or for ever. */
export const serverWaitMs = ({ blocking, text }: Pick<Step, 'blocking' | 'text'>): number | undefined =>
  blocking === undefined
    ? namedLockWaitMs({ text })
    : blocking.timeoutMs > 0
      ? blocking.timeoutMs
      : undefined;

/** Creates a task of an actor. */
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
    wasIdle: false,
    begun: false,
  };
  actor.tasks.push(task);
  return task;
}

/** Runs, or waits in the memory of its process: not held, and no server has to answer it. */
export const hasNoStep = ({ done, held, inFlightSteps }: ActorTask): boolean =>
  !done && held.length === 0 && inFlightSteps.size === 0;

/** Held, done, idle, or blocked in a server: the task cannot make progress by itself. */
export function isQuiescent({ inFlightSteps, done, idle, held }: ActorTask): boolean {
  if (inFlightSteps.size === 0) return done || idle || held.length > 0;
  for (const { blocked } of inFlightSteps) if (!blocked) return false;
  return true;
}
