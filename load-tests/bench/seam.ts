import { step } from '#lab/step';
import { median } from './median';

const BATCH = 20_000;
const BATCHES = 60;
const WARM_UP = 20;

/** What `step()` adds to a call when nobody listens, microseconds: the median batch, minus the call alone; noise below 0 counts as 0. */
export async function seamCost(): Promise<number> {
  const call = (): Promise<number> => Promise.resolve(1);
  const describe = (i: number) => ({ kind: 'sql', verb: 'SELECT', text: `SELECT ${i}` }) as const;
  const stepped = (i: number): Promise<number> => step(() => describe(i), call);
  const through: number[] = [];
  const alone: number[] = [];
  for (let batch = 0; batch < WARM_UP + BATCHES; batch++) {
    const [a, b] = [await timed(stepped), await timed(call)];
    if (batch < WARM_UP) continue;
    through.push(a);
    alone.push(b);
  }
  return Math.max(0, median(through) - median(alone));
}

/** Microseconds per call. */
async function timed(call: (i: number) => Promise<number>): Promise<number> {
  const begun = performance.now();
  for (let i = 0; i < BATCH; i++) await call(i);
  return ((performance.now() - begun) * 1000) / BATCH;
}
