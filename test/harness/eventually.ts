import { setTimeout as sleep } from 'node:timers/promises';

/** Polls; fails the test if `probe` does not become true in time. */
export async function eventually(
  what: string,
  probe: () => boolean | Promise<boolean>,
  ms = 8000,
): Promise<void> {
  const deadline = performance.now() + ms;
  while (!(await probe())) {
    if (performance.now() > deadline) throw new Error(`not within ${ms} ms: ${what}`);
    await sleep(10);
  }
}
