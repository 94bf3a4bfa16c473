import { step } from '#lab/step';
import { median } from '#load-tests/figures';

const BATCH = 20_000;
const BATCHES = 60;
const WARM_UP = 20;

/**
 * The overhead of `step()` per call without a recorder, microseconds: the median batch minus the median batch of plain
 * calls; a negative difference is noise and counts as 0.
 */
export async function seamCost(): Promise<number> {
  const call = (): Promise<number> => Promise.resolve(1);
  const describe = (i: number) => ({ kind: 'sql', verb: 'SELECT', text: `SELECT ${i}` }) as const;
  const stepped = (i: number): Promise<number> => step(() => describe(i), call);
  const withStep: number[] = [];
  const plain: number[] = [];
  for (let batch = 0; batch < WARM_UP + BATCHES; batch++) {
    const [a, b] = [await timed(stepped), await timed(call)];
    if (batch < WARM_UP) continue;
    withStep.push(a);
    plain.push(b);
  }
  return Math.max(0, median(withStep) - median(plain));
}

/** Microseconds per call. */
async function timed(call: (i: number) => Promise<number>): Promise<number> {
  const begun = performance.now();
  for (let i = 0; i < BATCH; i++) await call(i);
  return ((performance.now() - begun) * 1000) / BATCH;
}
