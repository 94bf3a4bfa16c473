import { StackError, type ServerPark } from '#lab/stack';
import { SAFE } from '#lab/strategy';
import { judgeDrill, type DrillEvidence, type DrillVerdict } from '#lab/verdict';
import type { Drill } from './drill';
import { Stage } from './stage';

export interface DrillRun {
  readonly drill: Drill;
  readonly evidence: DrillEvidence;
  readonly verdict: DrillVerdict;
}

/**
 * Plays a drill once and judges it by what is in the database. One that breaks off proves nothing, and its timeline is kept;
 * only servers that cannot be started are an error.
 */
export async function runDrill(park: ServerPark, drill: Drill): Promise<DrillRun> {
  const stage = await Stage.set(park, drill);
  try {
    await drill.play(stage).catch((error: unknown) => {
      if (error instanceof StackError) throw error;
      stage.fact(`it was played to its end (${String(error)})`, false);
    });
    const evidence = await stage.evidence();
    return { drill, evidence, verdict: judgeDrill(evidence, drill.expected ?? SAFE) };
  } finally {
    await stage.strike();
  }
}

/** How often a drill is played that has proved nothing. */
const TRIES = 3;

/**
 * Plays a drill until it proves something, whatever that is: a machine that stood still for a moment may have kept a fact
 * from holding. `onUnknown` is told why each try in vain was one; the last try is returned whatever it says.
 */
export async function proveDrill(
  park: ServerPark,
  drill: Drill,
  onUnknown: (because: string) => void,
): Promise<DrillRun> {
  for (let tried = 1; ; tried++) {
    const run = await runDrill(park, drill);
    if (run.verdict.verdict !== 'unknown' || tried === TRIES) return run;
    onUnknown(run.verdict.because.join('; '));
  }
}
