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

/** Refuses to write the page of a whole table when only a part of it was asked for. */
export const partOnly = (table: string, part: string): Failure =>
  new Failure(
    `--docs writes the whole ${table}: a part would take the place of all the rest. Leave ${part} out, or --docs, and it is printed`,
    EXIT.usage,
  );
