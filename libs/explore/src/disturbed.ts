/**
 * Real time may have decided something in this schedule: a server was away for longer than anything here waits for it, or
 * what the schedule took as settled was not. It proves nothing, and is to be played again.
 */
export class Disturbed extends Error {
  readonly code = 'EXPLORE.DISTURBED';

  constructor(what: string, options?: ErrorOptions) {
    super(`${what}: real time may have decided this schedule. Play it again`, options);
    this.name = 'Disturbed';
  }
}
