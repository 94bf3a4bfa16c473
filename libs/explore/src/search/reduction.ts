import { isLeft, isSpent, type Budget } from '../faults';
import { isSame, type Choice } from '../schedule';
import { dependent, footprint, isInvisibleTo, type Footprint } from './footprint';
import { whyUnreachable, type Run } from '../execution';

/**
 * A member of a sleep set: a choice that was explored elsewhere and need not come first here. Sleep sets after
 * Godefroid, "Partial-order methods for the verification of concurrent systems", 1996.
 */
export interface SleepingChoice {
  readonly choice: Choice;
  readonly footprint: Footprint;
}

/** The choice is a member of the sleep set. */
export const isAsleep = (sleepSet: readonly SleepingChoice[], choice: Choice): boolean =>
  sleepSet.some((asleep) => isSame(asleep.choice, choice));

/** The members of a sleep set that stay asleep after a choice: those independent of it. */
export const stillSleeping = (sleepSet: readonly SleepingChoice[], after: Footprint): SleepingChoice[] =>
  sleepSet.filter((sleeping) => !dependent(sleeping.footprint, after));

/**
 * True for an invisible step: no other actor can ever notice it, so it is a persistent set by itself and only this
 * choice is explored. Timers are an exception: code after the step may read what a timer has set, so with a timer and
 * a fault that advances time the step is visible. A kill before the step equals a kill after it. A loss of sessions
 * does not: the session in which a transaction has begun is lost as well, and a statement of a lost transaction fails. Nor does a
 * kill while a statement of a transaction is in flight: the transaction stays open until it arrives. A command that is not sent may
 * be the last one of its request, which ends then: later faults find nothing to end. So may any step, and the invariants
 * of a user's subject may see that no fault has occurred after it.
 */
export function isInvisible(run: Run, choice: Choice, remaining: Budget): boolean {
  if (choice.kind !== 'step') return false;
  if (!isInvisibleTo(footprint(run, choice))) return false;
  const actor = run.actor(choice.actor);
  if (run.subject.keepsState && run.sharesProcess(actor)) return false; // the actor's next code may be visible in memory
  // foreign code may read, after the step, what a message or a timer of it has changed in memory
  if (run.subject.isForeign === true && (run.subscribers.length > 0 || actor.held.length > 1)) return false;
  const step = actor.held[0]?.step;
  const isUnsent = step !== undefined && whyUnreachable(run, actor.process, step) !== undefined;
  if (isUnsent && isLeft(remaining, 'kill', 'host-down', 'in-flight', 'lost-session')) return false;
  if (run.subject.hasInvariants === true && !isSpent(remaining)) return false;
  const isLosable = isLeft(remaining, 'lost-session') && holdsSession(run, actor.process.name);
  if (step?.kind === 'sql' && isLosable) return false;
  if (step?.kind === 'sql' && actor.holdings.transactions.size > 0 && isLeft(remaining, 'in-flight'))
    return false;
  if (step?.verb === 'WORK' && (isLeft(remaining, 'slow') || run.hasTimeouts)) return false;
  return !run.hasTimeouts || !mayAdvanceTime(remaining);
}

/** A fault is left that advances time. */
export const mayAdvanceTime = (remaining: Budget): boolean =>
  isLeft(remaining, 'lapse', 'pause', 'tick', 'slow', 'overrun');

/** The process has a session that can be lost. */
const holdsSession = (run: Run, process: string): boolean =>
  run.actors.some((actor) => actor.process.name === process && actor.openSessions().size > 0);
