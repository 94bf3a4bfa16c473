export type StackErrorCode =
  | 'STACK.ABORTED'
  | 'STACK.ALREADY_RUNNING'
  | 'STACK.CANNOT_BE_FAULTED'
  | 'STACK.COMPONENT_MISSING'
  | 'STACK.INSTALL_FAILED'
  | 'STACK.MIGRATION_FAILED'
  | 'STACK.NOT_READY'
  | 'STACK.PROGRAM_MISSING'
  | 'STACK.SERVER_DOWN'
  | 'STACK.START_FAILED'
  | 'STACK.STOPPED'
  | 'STACK.UNKNOWN_NAME'
  | 'STACK.UNREACHABLE';

/** A failure of a server or a replica. The message ends with the next step for the user. */
export class StackError extends Error {
  override readonly name = 'StackError';

  constructor(
    readonly code: StackErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
