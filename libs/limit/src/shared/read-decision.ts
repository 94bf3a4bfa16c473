import type { Decision, Limit } from '../contract';

/** The reply of a script that decides: admitted (1 or 0), remaining, reset in milliseconds, and the time in microseconds. */
type Reply = readonly [admitted: number, remaining: number, resetMs: number, at: number];

/** The decision that a script replied. */
export function readDecision(reply: unknown, { max }: Limit): Decision {
  const [admitted, remaining, resetMs, at] = reply as Reply;
  return admitted === 1
    ? { admitted: true, limit: max, remaining, resetMs, at: at / 1000 }
    : { admitted: false, limit: max, remaining, resetMs, at: at / 1000, retryAfterMs: resetMs };
}
