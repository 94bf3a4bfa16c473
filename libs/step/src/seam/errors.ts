import type { Step } from './step';

/** The server did not answer in time, or the connection was lost: whether it executed the command is unknown. */
export class DependencyDown extends Error {
  readonly code = 'DEPENDENCY.DOWN';

  constructor(
    /** Which server: `redis`, `mysql`, `zookeeper`, `etcd`. */
    readonly dependency: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'DependencyDown';
  }
}

/** The session or lease at a server has ended, and with it all locks that hung on it. */
export class SessionLost extends Error {
  readonly code = 'LOCK.LOST';

  constructor(
    /** Which server: `zookeeper`, `etcd`. */
    readonly dependency: string,
  ) {
    super(`the session at ${dependency} has ended, and the lock with it: nothing was sold. Try again`);
    this.name = 'SessionLost';
  }
}

/** The change was sent to be made for good, and nobody knows whether it was: neither a sale nor no sale. */
export class OutcomeUnknown extends Error {
  readonly code = 'OUTCOME_UNKNOWN';

  constructor(what: string, options?: ErrorOptions) {
    super(
      `${what}: the change may or may not have been made. Look at the movements before you try again`,
      options,
    );
    this.name = 'OutcomeUnknown';
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

/** The stable code of whatever was thrown: its own, the database driver's, or else its name. */
export function codeOf(error: unknown): string {
  const { code, driverError } = (error ?? {}) as { code?: unknown; driverError?: { code?: unknown } };
  const known = [code, driverError?.code].find((one) => typeof one === 'string');
  return known ?? (error instanceof Error ? error.name : 'ERROR');
}
