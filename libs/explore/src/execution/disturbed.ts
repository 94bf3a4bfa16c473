/**
 * Real time may have decided this schedule: a server did not answer within `ANSWER_MS`, or a statement that counted
 * as blocked was answered without a cause. Such a schedule proves nothing; `retryIfDisturbed` runs it again.
 */
export class Disturbed extends Error {
  readonly code: string = 'EXPLORE.DISTURBED';

  constructor(what: string, options?: ErrorOptions) {
    super(`${what}: real time may have decided this schedule. Run it again`, options);
    this.name = 'Disturbed';
  }
}
