/**
 * Real time may have decided something in this schedule: a server did not answer for longer than `ANSWER_MS`, or a statement
 * that counted as blocked was answered by itself. Such a schedule proves nothing; `undisturbed` plays it again.
 */
export class Disturbed extends Error {
  readonly code = 'EXPLORE.DISTURBED';

  constructor(what: string, options?: ErrorOptions) {
    super(`${what}: real time may have decided this schedule. Play it again`, options);
    this.name = 'Disturbed';
  }
}
