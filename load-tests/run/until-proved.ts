import type { VerdictWord } from '#lab/verdict';

/** How often something is played that proves nothing. */
const TRIES = 3;

/** A run whose verdict may be `unknown`, for the reasons it tells. */
export interface Judged {
  readonly verdict: { readonly verdict: VerdictWord; readonly because: readonly string[] };
}

/**
 * Plays until something is proved, whatever that is: a machine that stood still for a moment may have kept a fault or a fact
 * from being seen. `onUnknown` is told why a try is repeated; the last try is returned whatever it says.
 */
export async function untilProved<Run extends Judged>(
  play: () => Promise<Run>,
  onUnknown: (because: string) => void,
): Promise<Run> {
  for (let tried = 1; ; tried++) {
    const run = await play();
    if (run.verdict.verdict !== 'unknown' || tried === TRIES) return run;
    onUnknown(run.verdict.because.join('; '));
  }
}
