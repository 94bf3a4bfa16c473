import autocannon from 'autocannon';
import { ANSWER_TIMEOUT_MS } from './inbox';

/** A closed loop: each of `connections` clients sends its next request after its answer. */
export interface ClosedLoop {
  readonly connections: number;
  readonly requests: number;
  /** Default: POST. */
  readonly method?: 'GET' | 'POST';
}

/** A request of the loop, as it is sent. */
interface Sent {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** An answer; times in milliseconds since the begin of the loop. */
interface Answered {
  /** Number of the request, from 1. */
  readonly number: number;
  readonly status: number;
  readonly headers: unknown;
  readonly text: string;
  readonly sentAt: number;
  readonly endedAt: number;
}

interface Client {
  readonly request: (number: number) => Sent;
  readonly onAnswer: (answer: Answered) => void;
  readonly signal: AbortSignal | undefined;
}

/** autocannon ends, or obeys `stop`, at the next tick. */
const TICK_MS = 100;

/** Sends the requests with autocannon. Resolves when all are answered, or when the signal is aborted. */
export function sendClosedLoop(
  url: string,
  { connections, requests, method = 'POST' }: ClosedLoop,
  { request, onAnswer, signal }: Client,
): Promise<void> {
  const begun = performance.now();
  let sent = 0;
  return fire(
    {
      url,
      connections: Math.min(connections, requests),
      amount: requests,
      timeout: ANSWER_TIMEOUT_MS / 1000,
      sampleInt: TICK_MS,
      requests: [
        {
          method,
          setupRequest: (req, context) => {
            const number = ++sent;
            Object.assign(context, { number, sentAt: performance.now() - begun });
            return { ...req, ...request(number) };
          },
          onResponse: (status, text, context, headers) => {
            const { number, sentAt } = context as Pick<Answered, 'number' | 'sentAt'>;
            onAnswer({ number, status, headers, text, sentAt, endedAt: performance.now() - begun });
          },
        },
      ],
    },
    signal,
  );
}

/** Runs autocannon to its end, or until the signal is aborted. */
function fire(load: autocannon.Options, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const instance = autocannon(load, (error: unknown) => {
      signal?.removeEventListener('abort', stop);
      if (error instanceof Error) reject(error);
      else resolve();
    });
    const stop = (): void => {
      instance.stop();
    };
    signal?.addEventListener('abort', stop);
  });
}
