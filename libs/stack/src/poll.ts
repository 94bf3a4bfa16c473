import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';

export interface PollLimits {
  readonly timeoutMs: number;
  /** Milliseconds between two probes; default 10. */
  readonly everyMs?: number;
}

/**
 * Milliseconds that a process of the stack has for its start or for a change: a busy machine takes many times longer than
 * an idle one. A server that exits during its start, and a replica that exits repeatedly, are reported earlier.
 */
export const PROCESS_MS = 180_000;

/**
 * Calls the probe until it returns true (result: true) or the time is over (result: false). Rejects as soon as the probe
 * rejects. Only a probe that began after the deadline ends the polling: a process that was stopped (SIGSTOP) or starved
 * past its deadline probes once more before it gives up.
 */
export async function pollUntil(
  probe: () => boolean | Promise<boolean>,
  { timeoutMs, everyMs = 10 }: PollLimits,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const isLast = performance.now() >= deadline;
    if (await probe()) return true;
    if (isLast) return false;
    await sleep(everyMs);
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
