import { ensureInstalled, ServerPark } from '#lab/stack';
import { DRILLS, runDrill, type DrillRun } from '#load-tests/drills';
import { untilProved } from '#load-tests/run';
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';

/** Drills start servers and buyers as processes, which takes time on a busy machine. In milliseconds. */
const TIMEOUT_MS = 600_000;

/** Opens the servers for the drills of a spec file; the result runs a drill by name until it proves something. */
export function openDrills(
  needs: Parameters<typeof ensureInstalled>[1] = [],
): (name: string) => Promise<DrillRun> {
  const dir = resolve('.lab', `test-drills-${process.pid}`);
  let park: ServerPark;
  jest.setTimeout(TIMEOUT_MS);
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
    const drill = DRILLS.find((candidate) => candidate.name === name);
    if (drill === undefined) throw new Error(`there is no drill ${name}`);
    return untilProved(
      () => runDrill(park, drill),
      (because) => process.stderr.write(`${name} proved nothing: ${because}\n`),
    );
  };
}
