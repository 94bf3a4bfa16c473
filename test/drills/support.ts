import { ensureInstalled, ServerPark } from '#lab/stack';
import { DRILLS, runDrill, type DrillRun } from '#load-tests/drills';
import { untilProved } from '#load-tests/run';
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';

/** Servers and buyers are processes that start: on a busy machine that takes its time. Milliseconds. */
const PATIENCE_MS = 240_000;

/** Opens a park of servers for the drills of a spec file, and plays one by its name until it proves something. */
export function openDrills(
  needs: Parameters<typeof ensureInstalled>[1] = [],
): (name: string) => Promise<DrillRun> {
  const dir = resolve('.lab', `test-drills-${process.pid}`);
  let park: ServerPark;
  jest.setTimeout(PATIENCE_MS);
  beforeAll(async () => {
    await ensureInstalled((line) => process.stderr.write(`${line}\n`), needs);
    park = await ServerPark.open(dir);
    await park.mysql();
  });
  afterAll(async () => {
    await park.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  return (name) => {
    const drill = DRILLS.find((one) => one.name === name);
    if (drill === undefined) throw new Error(`there is no drill ${name}`);
    return untilProved(
      () => runDrill(park, drill),
      (because) => process.stderr.write(`${name} proved nothing: ${because}\n`),
    );
  };
}
