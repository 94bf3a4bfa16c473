import type { Budget } from '../faults';
import type { Choice } from '../schedule';
import { dependent, footprint, type Footprint } from './footprint';
import type { Run } from '../execution';

/**
 * A choice that was explored already elsewhere: it need not come first here. Sleep sets after Godefroid, "Partial-order
 * methods for the verification of concurrent systems", 1996.
 */
export interface SleepingChoice {
  readonly choice: Choice;
  readonly footprint: Footprint;
}

/** Those that still sleep after a choice: they are independent of it. */
export const stillSleeping = (sleepSet: readonly SleepingChoice[], after: Footprint): SleepingChoice[] =>
  sleepSet.filter((sleeping) => !dependent(sleeping.footprint, after));

/**
 * A step that nobody can notice, whatever the others do from now on, is a persistent set by itself: it is enough to
 * explore it at once. Timers are the exception: code that runs after the step may look at what a timer has set, so
 * with a timer and a fault that moves time it is not invisible. A death before it equals a death after it. A loss of sessions
 * does not: the one in which a transaction has begun is lost as well.
 */
export function isInvisible(run: Run, choice: Choice, left: Budget): boolean {
  const { effect, process } = footprint(run, choice);
  if (!/^[a-c]$/.test(choice) || effect !== 'nothing') return false;
  if (run.mayKeepState && sharesProcess(run, choice)) return false; // what its actor does next may be seen in memory
  const actor = run.actors.find(({ name }) => name.toLowerCase() === choice);
  const verb = actor?.held[0]?.step.verb;
  if (verb === 'START' && (left['lost-session'] ?? 0) > 0 && holdsSession(run, process)) return false;
  if (verb === 'WORK' && ((left.slow ?? 0) > 0 || run.hasTimeouts)) return false;
  return !run.hasTimeouts || !ADVANCES_TIME.some((fault) => (left[fault] ?? 0) > 0);
}

const sharesProcess = (run: Run, choice: Choice): boolean => {
  const actor = run.actors.find(({ name }) => name.toLowerCase() === choice);
  return run.actors.some((other) => other !== actor && other.process === actor?.process);
};

/** A session of this process can be lost. */
const holdsSession = (run: Run, process: string): boolean =>
  run.actors.some((actor) => actor.process.name === process && actor.openSessions().size > 0);

const ADVANCES_TIME = ['lapse', 'pause', 'tick', 'slow', 'overrun'] as const;
