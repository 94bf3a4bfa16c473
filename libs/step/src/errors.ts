import type { Step } from './step';

/** The server did not answer in time, or the connection was lost: whether it executed the command is unknown. */
export class DependencyDown extends Error {
  readonly code = 'DEPENDENCY.DOWN';

  constructor(
    /** Which server: `redis` or `mysql`. */
    readonly dependency: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'DependencyDown';
  }
}

/** An injected fault: the command was not sent (`error`), or its reply was thrown away (`lose-reply`). */
export class InjectedFault extends DependencyDown {
  constructor(
    readonly fault: string,
    step: Step,
  ) {
    super(step.kind, `injected fault ${fault} at ${step.text}`);
    this.name = 'InjectedFault';
  }
}
