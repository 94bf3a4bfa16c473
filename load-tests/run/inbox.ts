import type { ClientAnswer } from '#lab/verdict';

/** Longer than wait, work and pause together, so that a slow answer is not counted as missing. */
export const ANSWER_TIMEOUT_MS = 60_000;

/** What a driver of the load reports to. */
export interface Inbox {
  /** A request was sent. */
  readonly sent: () => void;
  /** An answer has arrived; `text` is its body. */
  readonly answered: (answer: ClientAnswer, text: string) => void;
  /** Ends the load early. */
  readonly signal: AbortSignal | undefined;
}
