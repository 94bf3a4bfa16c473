import type { ClientAnswer } from '#lab/verdict';

/** Follows a run while it happens, and can end it early. */
export interface LoadObserver {
  /** What the run does now. */
  readonly progress: (text: string) => void;
  /** The first request is about to be sent. */
  readonly begun?: () => void;
  /** A request was sent. */
  readonly sent?: () => void;
  /** An answer has arrived. */
  readonly answer?: (answer: ClientAnswer) => void;
  /** Ends the run early: it rejects with the reason of the signal, when the lab is ready for the next run. */
  readonly signal?: AbortSignal;
}
