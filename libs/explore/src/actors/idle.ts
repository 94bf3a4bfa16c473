import type { Actor } from './actor';

/** Turns of the event loop in which code that can run has run: libraries use `setImmediate` once or twice in a row. */
const TURNS = 10;

/** An actor runs, and neither makes a step nor waits for another one. */
export class OutsideTheSeam extends Error {
  readonly code = 'EXPLORE.OUTSIDE_THE_SEAM';

  constructor(actors: readonly string[]) {
    super(
      `${actors.join(' and ')} runs without a step for too long: a timer, I/O or a wait that the explorer cannot see. Use the clock and the connections in \`tools\`; a strategy that waits in its module needs a file of its own (\`module\`)`,
    );
    this.name = 'OutsideTheSeam';
  }
}

/**
 * True when the code of these actors cannot continue by itself: what is left is a promise that another actor of the same
 * process settles, for example a mutex in a module. JavaScript runs until it waits, so this does not depend on the speed
 * of the machine. Excluded: an actor that is alone in its process, a process with a timer of its own, a file or name
 * request under way, and a strategy without a realm, of whose timers nothing is known.
 *
 * Limit: an asynchronous call of node:crypto and a connection of the strategy's own are not seen.
 */
export async function isIdle(silent: readonly Actor[], actors: readonly Actor[]): Promise<boolean> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise(setImmediate);
  return silent.every((actor) => waitsForAnother(actor, actors)) && !hasRequests();
}

const waitsForAnother = (actor: Actor, actors: readonly Actor[]): boolean =>
  actor.process.realm?.timers.areRunning === false &&
  actors.some((other) => other !== actor && other.process === actor.process);

/** Calls of the operating system under way in this Node process. Connections and timers are not among them. */
const hasRequests = (): boolean =>
  process.getActiveResourcesInfo().some((name) => /Req(Callback|Promise|Wrap)$/.test(name));
