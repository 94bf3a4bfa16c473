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
 * Runs a drill once and judges it by the final state of the database. A drill that fails half-way proves nothing, but its
 * evidence is kept. @throws StackError when a server cannot be started.
 */
export async function runDrill(park: ServerPark, drill: Drill): Promise<DrillRun> {
  const env = await DrillEnvironment.create(park, drill);
  try {
    await drill.play(env).catch((error: unknown) => {
      if (error instanceof StackError) throw error;
      env.fact(`the drill ran to its end (${String(error)})`, false);
    });
    const evidence = await env.evidence();
    return { drill, evidence, verdict: judgeDrill(evidence, drill.expected ?? SAFE) };
  } finally {
    await env.close();
  }
}
