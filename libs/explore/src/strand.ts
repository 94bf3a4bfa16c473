import type { Step } from '#lab/step';

/** What becomes of a step that is held at the gate. */
export type Directive = 'issue' | 'error' | 'lose-reply' | 'die';

/** A step before it is issued. */
export interface Held {
  readonly step: Step;
  readonly strand: Strand;
  /** Versions of the lock keys when it arrived: a waiting actor is woken when its key has another one. */
  readonly version: number;
  /** When it arrived, virtual time. */
  readonly since: number;
  /** It was looked at while it could not go on. */
  waited: boolean;
  release(directive: Directive): void;
}

/** A step that was issued and is not answered yet. */
export interface Flight {
  /** Grows from one to the next. */
  readonly number: number;
  readonly step: Step;
  readonly strand: Strand;
  /** The server said that it waits for a lock, and nothing has happened since that could have freed it. */
  blocked: boolean;
  /** The schedule has decided that its lock wait runs into the time-out: its answer comes next. */
  timedOut: boolean;
}

/** One line of control of an actor: its request, or one call of one of its timers. */
export interface Strand {
  readonly actor: string;
  /** One call of a timer; otherwise the request itself. */
  readonly isTimer: boolean;
  /** Set while time is moved: the strand's steps are issued as they come. */
  readonly auto: boolean;
  readonly held: Held[];
  readonly flights: Set<Flight>;
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
export function beginStrand(
  actor: { readonly name: string; readonly strands: Strand[] },
  { auto, isTimer }: Pick<Strand, 'auto' | 'isTimer'>,
): Strand {
  const strand: Strand = {
    actor: actor.name,
    isTimer,
    auto,
    held: [],
    flights: new Set(),
    done: false,
    idle: false,
    waited: false,
    begun: false,
  };
  actor.strands.push(strand);
  return strand;
}

/** It runs, or waits in the memory of its process: it is not held, and no server has to answer it. */
export const isSilent = ({ done, held, flights }: Strand): boolean =>
  !done && held.length === 0 && flights.size === 0;

/** True when nothing will happen in this strand by itself. */
export const isQuiet = (strand: Strand): boolean =>
  (strand.flights.size === 0 && (strand.done || strand.idle || strand.held.length > 0)) ||
  (strand.flights.size > 0 && [...strand.flights].every((flight) => flight.blocked));
