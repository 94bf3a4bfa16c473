import type { Step } from '#lab/step';
import { afterText, awaitsHttpResponse } from '../world';
import type { Actor } from './actor';

/** Event loop turns after which runnable code has run: libraries use `setImmediate` once or twice in a row. */
const TURNS = 10;

/** An actor runs without issuing a step or waiting for another actor. */
export class OutsideTheSeam extends Error {
  readonly code = 'EXPLORE.OUTSIDE_THE_SEAM';

  constructor(actors: readonly { readonly name: string; readonly lastStep: string }[]) {
    const where = actors.map(({ name, lastStep }) => `${name} ${afterText(lastStep)}`);
    super(
      `an actor runs without a step: ${where.join(' and ')}. The explorer sees commands of the clients that it hands out, and timers; this code waits for something else, for example an HTTP response, a connection of its own, a free connection of its pool, a promise that is never resolved, or one that an actor of another process resolves (a mutex in memory: give these actors the same process)`,
    );
    this.name = 'OutsideTheSeam';
  }
}

/** An actor has sent a command on a Redis connection that waits in a blocking command. */
export class QueuedCommand extends Error {
  readonly code = 'EXPLORE.QUEUED_COMMAND';

  constructor({ actor, text }: Pick<Step, 'actor' | 'text'>, blocking: string) {
    super(
      `${actor} sends ${text} on a Redis connection that waits in ${blocking}: Redis answers it only after that wait. Use a connection of its own for the blocking command, as in production`,
    );
    this.name = 'QueuedCommand';
  }
}

/** A statement has no answer for long, and the database shows no lock that it waits for. */
export class Unanswered extends Error {
  readonly code = 'EXPLORE.UNANSWERED';

  constructor({ actor, text }: Pick<Step, 'actor' | 'text'>, ms: number) {
    super(
      `the database has not answered "${text}" of ${actor} for ${ms / 1000} s, and shows no lock that it waits for. The explorer knows waits for rows, tables and GET_LOCK`,
    );
    this.name = 'Unanswered';
  }
}

/**
 * True when the code of these actors cannot continue by itself: each waits for a promise that another actor of its
 * process settles, for example a mutex in a module, for a timer of the schedule, for a step of one of its timers, or for a
 * message of Redis. JavaScript runs until it waits, so the result does not depend on
 * machine speed. Not idle: an actor alone in its process, a process with its own timer, pending file, DNS or HTTP requests,
 * and a strategy without a realm, whose timers are unknown.
 *
 * Limit: asynchronous node:crypto calls and a strategy's own connections are not detected.
 */
export async function isIdle(suspects: readonly Actor[], actors: readonly Actor[]): Promise<boolean> {
  if (awaitsHttpResponse()) return false;
  for (let turn = 0; turn < TURNS; turn++) await new Promise(setImmediate);
  return (
    suspects.every((actor) => waitsForAnother(actor, actors) && !actor.connections.isConnecting()) &&
    !hasPendingRequests() &&
    !awaitsHttpResponse()
  );
}

const waitsForAnother = (actor: Actor, actors: readonly Actor[]): boolean =>
  actor.process.realm?.timers.areRunning === false &&
  (actor.waitsForTimer ||
    actor.waitsForMessage ||
    actor.held.length > 0 ||
    actors.some((other) => other !== actor && other.process === actor.process));

/** Pending operating system requests of this Node process; excludes connections and timers. */
const hasPendingRequests = (): boolean =>
  process.getActiveResourcesInfo().some((name) => /Req(Callback|Promise|Wrap)$/.test(name));
