import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Milliseconds of work between two looks at the parent process. */
const SLICE_MS = 50;
const BLOCK = Buffer.alloc(256 * 1024);

/**
 * Uses one core (`cpu`) or flushes a file to the disk (`io`) until its parent process disconnects. Each slice of work sends
 * a message: the proof that it ran.
 */
function work(kind: string): void {
  const file = join(tmpdir(), `oversell-lab-busy-${process.pid}`);
  const disk = kind === 'io' ? openSync(file, 'w') : undefined;
  process.on('disconnect', () => {
    if (disk !== undefined) closeSync(disk);
    rmSync(file, { force: true });
    process.exit();
  });
  const slice = (): void => {
    const end = performance.now() + SLICE_MS;
    while (performance.now() < end)
      if (disk !== undefined) {
        writeSync(disk, BLOCK, 0, BLOCK.length, 0);
        fsyncSync(disk);
      }
    process.send?.('slice', undefined, undefined, () => undefined); // the parent may have ended: `disconnect` follows
    setImmediate(slice);
  };
  slice();
}

work(process.argv[2] ?? '');
