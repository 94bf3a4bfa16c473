import type { Realm } from './realm';

/** Turns of the event loop in which code that can run has run: libraries use `setImmediate` once or twice in a row. */
const TURNS = 10;

/** An actor runs, and neither makes a step nor waits for another one. */
export class OutsideTheSeam extends Error {
  readonly code = 'EXPLORE.OUTSIDE_THE_SEAM';

  constructor(actors: readonly string[]) {
    super(
      `${actors.join(' and ')} runs without a step for too long: a timer, I/O or a wait that the explorer cannot see. Use the clock and the connections in \`tools\`, and give the strategy its \`module\``,
    );
    this.name = 'OutsideTheSeam';
  }
}

/**
 * True when the code of these processes cannot go on by itself: what is left is a promise that another actor settles, for
 * example a mutex in a module. JavaScript runs until it waits, so nothing depends on the speed of the machine. A process
 * with a timer of its own, or a request to the operating system, may go on; without a realm nothing is known of its timers.
 */
export async function isIdle(processes: readonly { readonly realm: Realm | undefined }[]): Promise<boolean> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise(setImmediate);
  const mayGoOn = processes.some(({ realm }) => realm === undefined || realm.timers.areRunning);
  return !mayGoOn && !hasRequests();
}

/** File and crypto calls under way, of anyone in this Node process. Connections and timers are no requests. */
const hasRequests = (): boolean =>
  process.getActiveResourcesInfo().some((name) => /Req(uest|Callback|Promise|Wrap)?$/.test(name));
