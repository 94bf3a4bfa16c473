import { monotonic } from '#lab/step';
import { setTimeout as delay } from 'node:timers/promises';
import type { DrillEnvironment } from '../drill-environment';

const EVERY_MS = 10;
/** Longer than an election, the end of a session, or the start of a server, on a busy machine. */
const PATIENCE_MS = 20_000;

/**
 * Asks until it is true, and states it as a fact; one that does not become true is stated, too. A question that fails is
 * asked again. Returns how long it took, in milliseconds.
 */
export async function inTime(
  env: DrillEnvironment,
  text: string,
  isTrue: () => Promise<boolean>,
): Promise<number> {
  const begun = monotonic();
  const took = (): number => Math.round((monotonic() - begun) / 1000);
  for (;;) {
    const holds = await isTrue().catch(() => false);
    if (holds || took() > PATIENCE_MS) {
      env.fact(text, holds);
      return took();
    }
    await delay(EVERY_MS);
  }
}

/** Asks until there is an answer: a client may be on its way to another member. Rejects when that takes too long. */
export async function inTheEnd<T>(ask: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (performance.now() - begun > PATIENCE_MS) throw error;
      await delay(EVERY_MS);
    }
  }
}
