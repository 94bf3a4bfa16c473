/** Exit codes of every command. */
export const EXIT = { ok: 0, notAsExpected: 1, usage: 2, unknown: 3, interrupted: 130 } as const;

/** An end of the command with one line for the user. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly exitCode: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'Failure';
  }
}
