import { setMaxListeners } from 'node:events';

/** Node's longest timer, 24 days: a longer one fires at once. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * A signal that is aborted together with `signal`, or after `ms`; more than `LONGEST_MS` is no limit. Not
 * `AbortSignal.any` with `AbortSignal.timeout`: in Node 20 the garbage collector removes a time-out that only a combined
 * signal refers to, and a search would not end.
 */
export function withTimeLimit(signal: AbortSignal, ms: number): AbortSignal {
  const limited = new AbortController();
  const end = (): void => {
    limited.abort();
  };
  if (signal.aborted) end();
  setMaxListeners(0, signal); // one for each search that is limited
  signal.addEventListener('abort', end, { once: true, signal: limited.signal });
  if (ms < LONGEST_MS) setTimeout(end, Math.ceil(ms)).unref();
  return limited.signal;
}
