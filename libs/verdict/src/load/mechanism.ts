import type { RequestLine, StepLine } from '#lab/step';
import { groupBy } from '../group-by';
import { runsStrategies, type Evidence, type Movement } from './evidence';
import { stepsOf, type HolderFindings } from './holders';

/**
 * Explains in one sentence how the same unit was sold twice: why the two requests were not serialized, and which value was
 * read too early. Undefined: no two sales started from the same value, or their steps are not in the history.
 */
export function mechanismOfLoad(
  evidence: Evidence,
  { overlaps }: Pick<HolderFindings, 'overlaps'>,
): string | undefined {
  const pair = collision(evidence);
  if (pair === undefined) return undefined;
  const steps = groupBy(stepsOf(evidence.history), ({ request }) => request);
  const of = ({ request }: Movement): readonly StepLine[] => steps.get(request) ?? [];
  const sales = pair
    .map((sale) => ({ sale, steps: of(sale), written: commitOf(of(sale)) }))
    .sort((a, b) => (a.written ?? 0) - (b.written ?? 0));
  const [early, late] = sales;
  const read = late === undefined ? undefined : readOf(late.steps, late.sale);
  if (early?.written === undefined || late === undefined || read === undefined) return undefined;
  const begun = evidence.history[0]?.t ?? 0;
  const ms = (t: number): string => `${((t - begun) / 1000).toFixed(1)} ms`;
  const overlap = overlaps.find(
    ({ first, second }) => new Set([first, second, early.sale.request, late.sale.request]).size === 2,
  );
  const cause =
    overlap === undefined
      ? withoutOverlap(early.steps, late.steps, read)
      : `${overlap.first} was at work ${leaseWords(evidence, overlap.first)}when ${overlap.second} took the lock`;
  return (
    `${cause}; ${late.sale.request} read ${late.sale.before} (at ${ms(read.t)}) before ` +
    `${early.sale.request} had committed ${early.sale.after} (at ${ms(early.written)})`
  );
}

/** The first two movements of different requests that started from the same value. */
function collision({ movements }: Evidence): readonly [Movement, Movement] | undefined {
  for (const same of groupBy(movements, ({ segment, before }) => `${segment} ${before}`).values()) {
    const [first] = same;
    const other = same.find(({ request }) => request !== first?.request);
    if (first !== undefined && other !== undefined) return [first, other];
  }
  return undefined;
}

const isWrite = ({ text }: StepLine): boolean => /^UPDATE balance(_segment)? SET amount/.test(text);

/** The time at which the request's write was committed, microseconds. */
function commitOf(steps: readonly StepLine[]): number | undefined {
  const write = steps.findLast(isWrite);
  const commit = steps.find(({ n, verb }) => verb === 'COMMIT' && n > (write?.n ?? Infinity)) ?? write;
  return commit === undefined ? undefined : commit.t + commit.took;
}

function readOf(steps: readonly StepLine[], { before }: Movement): StepLine | undefined {
  const write = steps.findLast(isWrite);
  return steps.findLast(
    ({ n, verb, reply }) =>
      n < (write?.n ?? Infinity) &&
      verb === 'SELECT' &&
      JSON.stringify(reply ?? null).includes(`"amount":${before}`),
  );
}

/** `for 300 ms, longer than its lease of 200 ms, `; empty if the work is not longer or its length is unknown. */
function leaseWords({ history }: Evidence, request: string): string {
  const line = history.find(
    (one): one is RequestLine => one.type === 'request' && runsStrategies(one) && one.request === request,
  );
  const { leaseMs, workMs } = line?.options ?? {};
  return typeof leaseMs === 'number' && typeof workMs === 'number' && workMs > leaseMs
    ? `for ${workMs} ms, longer than its lease of ${leaseMs} ms, `
    : '';
}

const isMutex = ({ kind, verb }: StepLine): boolean => kind === 'local' && verb === 'LOCK';

function withoutOverlap(early: readonly StepLine[], late: readonly StepLine[], read: StepLine): string {
  const a = early.find(isMutex);
  const b = late.find(isMutex);
  if (a !== undefined && b !== undefined && a.replica !== b.replica)
    return `the mutex of ${a.replica} does not exist in ${b.replica}`;
  const rowLock = late.find(({ text }) => text.includes(' FOR UPDATE'));
  if (rowLock !== undefined)
    return read.n < rowLock.n
      ? 'the value was read before the row was locked'
      : 'the value came from the snapshot that the transaction took before it locked the row';
  const hasLock = late.some(({ lock }) => lock !== undefined);
  return hasLock ? 'the lock did not cover the read or the COMMIT' : 'nothing kept the two requests apart';
}
