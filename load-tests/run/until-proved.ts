import type { VerdictWord } from '#lab/verdict';

/** Runs at most, as long as the verdict is `unknown`. */
const TRIES = 3;

/** A run with a verdict; `because` lists its reasons. */
export interface Judged {
  readonly verdict: { readonly verdict: VerdictWord; readonly because: readonly string[] };
}

/**
 * Repeats a run while its verdict is `unknown`: a short stall of the machine can keep a fault from firing or a fact from
 * being observed. `onUnknown` receives the reason of each repetition. The last run is returned with any verdict.
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
