/**
 * The cycle of waiters through `start` in the wait-for graph: each waits for the next, the last one for the first.
 * `blockerOf`: the holder of the lock that a waiter waits for; undefined: it waits for none. Undefined: there is no cycle.
 */
export function cycleFrom(
  start: string,
  blockerOf: (waiter: string) => string | undefined,
): readonly string[] | undefined {
  const waiters = [start];
  for (let last = start; ;) {
    const blocker = blockerOf(last);
    if (blocker === undefined) return undefined;
    if (blocker === start) return waiters.length > 1 ? waiters : undefined;
    if (waiters.includes(blocker)) return undefined;
    waiters.push(blocker);
    last = blocker;
  }
}
