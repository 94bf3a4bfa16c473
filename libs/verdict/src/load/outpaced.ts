import { findStrategy, SAFE, UnknownStrategy, type Expectation } from '#lab/strategy';
import type { Evidence } from './evidence';
import { groupBy } from '../group-by';
import { stepsOf, type HoldInterval } from './holders';
import { leaseEnds } from './moments';

/** A holder that was at work after its lease had expired although no fault hit it. */
export interface Outpaced {
  readonly request: string;
  readonly replica: string;
  readonly leaseMs: number;
  /** Milliseconds between the end of its lease and the answer to its last statement. */
  readonly lateMs: number;
}

/**
 * Finds leases that are too short for the machine. A strategy that renews its lease, or checks a local deadline,
 * promises exact stock only while its timers run on time. If the machine stalls for about a lease, the lease
 * expires without a fault, as in a pause: the history has no renewal before the expiry and a statement after it,
 * even if the holder then noticed the loss. For other strategies, this is their declared defect and no excuse.
 */
export function outpacedHolders(evidence: Evidence, holdIntervals: readonly HoldInterval[]): Outpaced[] {
  if (!keepsTime(evidence)) return [];
  const { history } = evidence;
  const hit = new Set(history.flatMap((line) => (line.type === 'fault' ? [line.replica] : [])));
  const endOf = leaseEnds(history, holdIntervals);
  const leases = new Map(
    history.flatMap((line) =>
      line.type === 'request' && typeof line.options['leaseMs'] === 'number'
        ? [[line.request, line.options['leaseMs']] as const]
        : [],
    ),
  );
  const work = groupBy(
    stepsOf(history).filter(({ kind, lock }) => kind === 'sql' && lock === undefined),
    ({ request, replica }) => `${request} ${replica}`,
  );
  return holdIntervals.flatMap((interval) => {
    const { request, replica, until } = interval;
    const underTheLock = (work.get(`${request} ${replica}`) ?? []).filter(
      ({ t }) => t <= (until ?? Infinity),
    );
    const lastWork = Math.max(0, ...underTheLock.map(({ t, took }) => t + took));
    const lateMs = (lastWork - endOf(interval)) / 1000;
    const leaseMs = leases.get(request);
    if (hit.has(replica) || leaseMs === undefined || lateMs <= 0) return [];
    return [{ request, replica, leaseMs, lateMs }];
  });
}

/** Whether the strategy renews its lease or checks a local deadline. */
function keepsTime({ strategy }: Evidence): boolean {
  const found = strategyOf(strategy);
  return (
    found?.options.includes('leaseMs') === true &&
    !(found.lacks.includes('survivesSlowWork') && found.lacks.includes('noticesLoss'))
  );
}

/** The expectation for outpaced holders: violations that a pause before the write causes are also allowed. */
export function withOutpaced(
  expected: Expectation,
  strategy: string,
  outpaced: readonly Outpaced[],
): Expectation {
  if (outpaced.length === 0) return expected;
  const { must, may } = strategyOf(strategy)?.expected['paused-before-write'] ?? SAFE;
  const shown = new Set([...expected.may, ...must, ...may]);
  return { must: expected.must, may: [...shown].filter((kind) => !expected.must.includes(kind)) };
}

/** Undefined if no single strategy changed the balance. */
function strategyOf(name: string): ReturnType<typeof findStrategy> | undefined {
  try {
    return findStrategy(name);
  } catch (error) {
    if (error instanceof UnknownStrategy) return undefined;
    throw error;
  }
}
