/** Exit codes of every command. */
export const EXIT = { ok: 0, notAsExpected: 1, usage: 2, unknown: 3, interrupted: 130 } as const;

/** A text of several lines as one. */
export const oneLine = (text: string): string => text.trim().replace(/\s*\n\s*/g, ' ');

/** Ends the command with one line for the user. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly exitCode: number,
    options?: ErrorOptions,
  ) {
    super(oneLine(message), options);
    this.name = 'Failure';
  }
}

/** Rejects --docs when only a part of the table is requested: the page would lose the rest. */
export const partOnly = (table: string, part: string): Failure =>
  new Failure(
    `--docs writes the whole ${table} and cannot be combined with a part. Omit ${part} to write the page, or omit --docs to print the part`,
    EXIT.usage,
  );
