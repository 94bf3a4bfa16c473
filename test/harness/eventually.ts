import { setTimeout as sleep } from 'node:timers/promises';

/** Ends a test that hangs, before jest does, with a sentence; says nothing about speed. Milliseconds. */
const HANGS_MS = 240_000;

/** Polls; fails the test if `probe` does not become true. */
export async function eventually(what: string, probe: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + HANGS_MS;
  while (!(await probe())) {
    if (performance.now() > deadline) throw new Error(`not within ${HANGS_MS / 1000} s: ${what}`);
    await sleep(10);
  }
}
