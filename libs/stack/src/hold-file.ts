import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, own, type Identity } from './identity';

export interface HoldOptions {
  /** Called once when another process holds the file, with its pid. */
  readonly onWait: (pid: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Milliseconds between two looks at the file of another holder. */
const LOOK_EVERY_MS = 100;

/**
 * Waits until no other running process holds the file, and holds it. Resolves with the function that releases it. The file of a
 * holder that was killed is removed. Rejects with the reason of the signal.
 */
export async function holdFile(file: string, { onWait, signal }: HoldOptions): Promise<() => void> {
  let hasWaited = false;
  while (!create(file)) {
    signal?.throwIfAborted();
    const holder = read(file);
    if (holder !== undefined && isAlive(holder)) {
      if (!hasWaited) onWait(holder.pid);
      hasWaited = true;
      await sleep(LOOK_EVERY_MS, undefined, { signal });
    } else removeStale(file);
  }
  return () => {
    rmSync(file, { force: true });
  };
}

/** False when the file exists. A link fails then, unlike a rename, and never shows a partial file, unlike a write. */
function create(file: string): boolean {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(own()));
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Only one process can rename a file. One that was created since by a running process is put back. */
function removeStale(file: string): void {
  const taken = `${file}.stale-${process.pid}`;
  try {
    renameSync(file, taken);
  } catch {
    return; // another process has removed it
  }
  const holder = read(taken);
  if (holder !== undefined && isAlive(holder)) renameSync(taken, file);
  else rmSync(taken, { force: true });
}

function read(file: string): Identity | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Identity;
  } catch {
    return undefined;
  }
}
