import type { Decision, Limit } from '#lab/limit';

/**
 * The fields of draft-ietf-httpapi-ratelimit-headers-11 (2026-05). `RateLimit-Policy`: the quota `q` and the window `w`, in
 * seconds; a window that is no whole number of seconds has no `w`. `RateLimit`: the remaining quota `r`, and the seconds `t`
 * until more is available.
 */
export function rateLimitFields(
  limiter: string,
  { max, windowMs }: Limit,
  { remaining, resetMs }: Decision,
): Readonly<Record<'RateLimit-Policy' | 'RateLimit', string>> {
  const window = windowMs % 1000 === 0 ? `;w=${windowMs / 1000}` : '';
  return {
    'RateLimit-Policy': `"${limiter}";q=${max}${window}`,
    RateLimit: `"${limiter}";r=${remaining};t=${secondsUp(resetMs)}`,
  };
}

/** Whole seconds that are not too short. */
export const secondsUp = (ms: number): number => Math.ceil(Math.max(0, ms) / 1000);
