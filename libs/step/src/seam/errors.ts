import type { Step } from './step';

/** The server did not reply in time, or the connection was lost: whether it executed the command is unknown. */
export class DependencyDown extends Error {
  readonly code = 'DEPENDENCY.DOWN';

  constructor(
    /** The server: `redis`, `mysql`, `zookeeper`, `etcd`, `gateway`. */
    readonly dependency: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'DependencyDown';
  }
}

/** The session or lease at a server has ended, and all its locks with it. */
export class SessionLost extends Error {
  readonly code = 'LOCK.LOST';

  constructor(
    /** The server: `zookeeper`, `etcd`. */
    readonly dependency: string,
  ) {
    super(
      `the session at ${dependency} has ended, and its lock with it: this request changed nothing. Try again`,
    );
    this.name = 'SessionLost';
  }
}

/** The commit of the change was sent and its reply was lost: whether the change was made is unknown. */
export class OutcomeUnknown extends Error {
  readonly code = 'OUTCOME_UNKNOWN';

  constructor(what: string, options?: ErrorOptions) {
    super(
      `${what}: the change may or may not have been made. Check the movements before you try again`,
      options,
    );
    this.name = 'OutcomeUnknown';
  }
}

/** An injected fault: the command was not sent (`error`), or its reply was discarded (`lose-reply`). */
export class InjectedFault extends DependencyDown {
  constructor(
    readonly fault: string,
    step: Step,
  ) {
    super(step.kind, `injected fault ${fault} at ${step.text}`);
    this.name = 'InjectedFault';
  }
}

/** The stable code of a thrown value: its own `code`, else the database driver's, else the error's name. */
export function codeOf(error: unknown): string {
  const { code, driverError } = (error ?? {}) as { code?: unknown; driverError?: { code?: unknown } };
  const known = [code, driverError?.code].find((value) => typeof value === 'string');
  return known ?? (error instanceof Error ? error.name : 'ERROR');
}

/** The message of an error; another thrown value as text. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
