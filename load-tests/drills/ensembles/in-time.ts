import { pollUntil } from '#lab/stack';
import { monotonic } from '#lab/step';
import type { DrillEnvironment } from '../drill-environment';

/** Longer than an election, the end of a session, or the start of a server on a busy machine. */
const LIMITS = { timeoutMs: 20_000 };

/**
 * Polls a condition and records the result as a fact, also when the condition stays false. A check that rejects counts as
 * false. Returns how long it took, in milliseconds.
 */
export async function inTime(
  env: DrillEnvironment,
  text: string,
  isTrue: () => Promise<boolean>,
): Promise<number> {
  const begun = monotonic();
  env.fact(text, await pollUntil(() => isTrue().catch(() => false), LIMITS));
  return Math.round((monotonic() - begun) / 1000);
}

/** Retries a request that fails while its client reconnects to another member. Rejects with the last error at the timeout. */
export async function inTheEnd<T>(ask: () => Promise<T>): Promise<T> {
  let reply!: Promise<T>;
  await pollUntil(() => {
    reply = ask();
    return reply.then(
      () => true,
      () => false,
    );
  }, LIMITS);
  return reply;
}
