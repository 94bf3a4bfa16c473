import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';

export interface Patience {
  readonly timeoutMs: number;
  /** Default 10. */
  readonly everyMs?: number;
}

/** Asks again and again until the probe says true (then true) or the time is over (then false). */
export async function until(probe: () => boolean | Promise<boolean>, patience: Patience): Promise<boolean> {
  const deadline = performance.now() + patience.timeoutMs;
  for (;;) {
    if (await probe()) return true;
    if (performance.now() >= deadline) return false;
    await sleep(patience.everyMs ?? 10);
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
