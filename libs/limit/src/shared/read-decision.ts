import type { Decision, Limit } from '../contract';

/** The reply of a script that decides: admitted (1 or 0), remaining, reset and time in milliseconds. */
type Reply = readonly [admitted: number, remaining: number, resetMs: number, at: string];

/** The decision that a script replied. */
export function readDecision(reply: unknown, { max }: Limit): Decision {
  const [admitted, remaining, resetMs, at] = reply as Reply;
  const decision = { admitted: admitted === 1, limit: max, remaining, resetMs, at: Number(at) };
  return decision.admitted ? decision : { ...decision, retryAfterMs: resetMs };
}
