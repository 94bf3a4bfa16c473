import { setTimeout as delay } from 'node:timers/promises';
import type { Decide } from './contenders';

/** An admitted request: it was decided between these two times, milliseconds. */
interface Admitted {
  readonly begun: number;
  readonly ended: number;
}

/** The most requests of one client that were admitted: lower bounds, which no delay of a process can raise. */
export interface MostAdmitted {
  /** In the window that the first request opened. */
  readonly ownWindow: number;
  /** In any window. */
  readonly anyWindow: number;
}

/** Parts of a window: when the requests come. The first one opens the window. */
const BEFORE_END = 0.6;
const AFTER_END = 1.02;
const MOST_TRIES = 10;

/**
 * Two processes decide about one client: one request opens a window, twice the limit comes in its second half, and twice the
 * limit after its end. Repeated with another client when the requests of the second half were late.
 */
export async function mostAdmitted(
  processes: readonly [Decide, Decide],
  { max, windowMs }: { readonly max: number; readonly windowMs: number },
): Promise<MostAdmitted> {
  for (let attempt = 1; attempt <= MOST_TRIES; attempt++) {
    const send = async (count: number): Promise<Admitted[]> => {
      const sent = Array.from({ length: count }, async (_, i) => {
        const begun = performance.now();
        const { admitted } = await processes[i % 2 === 0 ? 0 : 1](`client-edge-${attempt}`);
        return admitted ? [{ begun, ended: performance.now() }] : [];
      });
      return (await Promise.all(sent)).flat();
    };
    const opened = performance.now();
    const first = await send(1);
    const ends = performance.now() + windowMs;
    await delay(opened + BEFORE_END * windowMs - performance.now());
    const before = await send(2 * max);
    const isLate = performance.now() >= opened + windowMs;
    await delay(ends + (AFTER_END - 1) * windowMs - performance.now());
    const after = await send(2 * max);
    if (isLate) continue;
    return {
      ownWindow: first.length + before.length,
      anyWindow: mostInAnyWindow([...first, ...before, ...after], windowMs),
    };
  }
  throw new Error(`the machine is too busy: ${MOST_TRIES} times the requests of a window came after its end`);
}

/** Counts, after the beginning of each request, the requests that were certainly decided within a window. */
const mostInAnyWindow = (admitted: readonly Admitted[], windowMs: number): number =>
  Math.max(
    0,
    ...admitted.map(
      ({ begun: from }) =>
        admitted.filter(({ begun, ended }) => begun >= from && ended < from + windowMs).length,
    ),
  );
