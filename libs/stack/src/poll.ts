import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';

export interface PollLimits {
  readonly timeoutMs: number;
  /** Default 10. */
  readonly everyMs?: number;
}

/** Asks again and again until the probe says true (then true) or the time is over (then false). */
export async function until(probe: () => boolean | Promise<boolean>, limits: PollLimits): Promise<boolean> {
  const deadline = performance.now() + limits.timeoutMs;
  for (;;) {
    if (await probe()) return true;
    if (performance.now() >= deadline) return false;
    await sleep(limits.everyMs ?? 10);
  }
}

/** The body of a GET that was answered with 200 within a second, otherwise undefined. */
export async function get(url: string): Promise<string | undefined> {
  try {
    const { statusCode, body } = await request(url, { signal: AbortSignal.timeout(1000), reset: true });
    const text = await body.text();
    return statusCode === 200 ? text : undefined;
  } catch {
    return undefined;
  }
}
