/** A schedule after which an invariant is false, or in which an actor waits forever. */
export class InvariantViolated extends Error {
  readonly code = 'KIT.INVARIANT';

  constructor(
    /** What is wrong, a sentence for each violation. */
    readonly sentences: readonly string[],
    /** The steps of all actors in their order, for people. */
    readonly lanes: string,
    /** Runs this schedule again, as `token` of the options. */
    readonly token: string,
    /** Schedules that were run until it was found. */
    readonly schedules: number,
  ) {
    super(
      [
        sentences.join('; '),
        `the shortest such schedule that was found (after ${schedules}):`,
        lanes,
        `run it again: explore({ …, token: '${token}' })`,
      ].join('\n'),
    );
    this.name = 'InvariantViolated';
  }
}

/** The options, or what the actors do, cannot be explored; the message says what to change. */
export class CannotExplore extends Error {
  readonly code = 'KIT.OPTIONS';

  constructor(why: string, options?: ErrorOptions) {
    super(why, options);
    this.name = 'CannotExplore';
  }
}
