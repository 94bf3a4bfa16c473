import type { RequestLine, StepLine } from '#lab/step';
import { groupBy } from '../group-by';
import { writesStock } from '../statements';
import { runsStrategies, type Evidence, type Movement } from './evidence';
import { stepsOf, type HolderFindings } from './holders';

/** Why two requests that sold one unit were not serialized. */
type Cause =
  | {
      readonly code: 'overlap';
      readonly first: string;
      readonly second: string;
      /** Milliseconds; null: the work of the first is not longer than its lease, or its length is unknown. */
      readonly lease: { readonly workMs: number; readonly leaseMs: number } | null;
    }
  | { readonly code: 'other-mutex'; readonly replica: string; readonly other: string }
  | {
      readonly code: 'read-before-row-lock' | 'earlier-snapshot' | 'not-covered' | 'unprotected';
    };

/** How one unit was sold twice. Times are milliseconds after the first line of the history. */
export interface LoadMechanism {
  readonly cause: Cause;
  /** The request that committed first. */
  readonly early: { readonly request: string; readonly committed: number; readonly atMs: number };
  /** The request that had read before that. */
  readonly late: { readonly request: string; readonly read: number; readonly atMs: number };
}

/**
 * Finds how the same unit was sold twice: why the two requests were not serialized, and which value was read too early.
 * Undefined: no two sales started from the same value, or their steps are not in the history.
 */
export function mechanismOfLoad(
  evidence: Evidence,
  { overlaps }: Pick<HolderFindings, 'overlaps'>,
): LoadMechanism | undefined {
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
  const ms = (t: number): number => (t - begun) / 1000;
  const overlap = overlaps.find(
    ({ first, second }) => new Set([first, second, early.sale.request, late.sale.request]).size === 2,
  );
  return {
    cause:
      overlap === undefined
        ? withoutOverlap(early.steps, late.steps, read)
        : {
            code: 'overlap',
            first: overlap.first,
            second: overlap.second,
            lease: outlivedLease(evidence, overlap.first),
          },
    early: { request: early.sale.request, committed: early.sale.after, atMs: ms(early.written) },
    late: { request: late.sale.request, read: late.sale.before, atMs: ms(read.t) },
  };
}

/** The mechanism in one sentence, for people. `mechanismInChinese` is the same in Chinese. */
export const mechanismText = ({ cause, early, late }: LoadMechanism): string =>
  `${causeText(cause)}; ${late.request} read ${late.read} (at ${late.atMs.toFixed(1)} ms) before ` +
  `${early.request} had committed ${early.committed} (at ${early.atMs.toFixed(1)} ms)`;

function causeText(cause: Cause): string {
  switch (cause.code) {
    case 'overlap': {
      const lease =
        cause.lease === null
          ? ''
          : `for ${cause.lease.workMs} ms, longer than its lease of ${cause.lease.leaseMs} ms, `;
      return `${cause.first} was at work ${lease}when ${cause.second} took the lock`;
    }
    case 'other-mutex':
      return `the mutex of ${cause.replica} does not exist in ${cause.other}`;
    case 'read-before-row-lock':
      return 'the value was read before the row was locked';
    case 'earlier-snapshot':
      return 'the value came from the snapshot that the transaction took before it locked the row';
    case 'not-covered':
      return 'the lock did not cover the read or the COMMIT';
    case 'unprotected':
      return 'nothing kept the two requests apart';
  }
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

/** The time at which the request's write was committed, microseconds. */
function commitOf(steps: readonly StepLine[]): number | undefined {
  const write = steps.findLast(writesStock);
  const commit = steps.find(({ n, verb }) => verb === 'COMMIT' && n > (write?.n ?? Infinity)) ?? write;
  return commit === undefined ? undefined : commit.t + commit.took;
}

function readOf(steps: readonly StepLine[], { before }: Movement): StepLine | undefined {
  const write = steps.findLast(writesStock);
  return steps.findLast(
    ({ n, verb, reply }) =>
      n < (write?.n ?? Infinity) &&
      verb === 'SELECT' &&
      JSON.stringify(reply ?? null).includes(`"amount":${before}`),
  );
}

/** Null: the work is not longer than the lease, or its length is unknown. */
function outlivedLease(
  { history }: Evidence,
  request: string,
): { readonly workMs: number; readonly leaseMs: number } | null {
  const line = history.find(
    (one): one is RequestLine => one.type === 'request' && runsStrategies(one) && one.request === request,
  );
  const { leaseMs, workMs } = line?.options ?? {};
  return typeof leaseMs === 'number' && typeof workMs === 'number' && workMs > leaseMs
    ? { workMs, leaseMs }
    : null;
}

const isMutex = ({ kind, verb }: StepLine): boolean => kind === 'local' && verb === 'LOCK';

function withoutOverlap(early: readonly StepLine[], late: readonly StepLine[], read: StepLine): Cause {
  const a = early.find(isMutex);
  const b = late.find(isMutex);
  if (a !== undefined && b !== undefined && a.replica !== b.replica)
    return { code: 'other-mutex', replica: a.replica, other: b.replica };
  const rowLock = late.find(({ text }) => text.includes(' FOR UPDATE'));
  if (rowLock !== undefined)
    return { code: read.n < rowLock.n ? 'read-before-row-lock' : 'earlier-snapshot' };
  const hasLock = late.some(({ lock }) => lock !== undefined);
  return { code: hasLock ? 'not-covered' : 'unprotected' };
}
