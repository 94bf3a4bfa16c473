import { StackError, type ServerPark } from '#lab/stack';
import { SAFE } from '#lab/strategy';
import { judgeDrill, type DrillEvidence, type DrillVerdict } from '#lab/verdict';
import type { Drill } from './drill';
import { DrillEnvironment } from './drill-environment';

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
  const env = await DrillEnvironment.set(park, drill);
  try {
    await drill.play(env).catch((error: unknown) => {
      if (error instanceof StackError) throw error;
      env.fact(`it was played to its end (${String(error)})`, false);
    });
    const evidence = await env.evidence();
    return { drill, evidence, verdict: judgeDrill(evidence, drill.expected ?? SAFE) };
  } finally {
    await env.strike();
  }
}
