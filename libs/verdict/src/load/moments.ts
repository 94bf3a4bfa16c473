import type { HistoryLine, StepLine } from '#lab/step';
import { knownStrategies } from '#lab/strategy';
import { groupBy } from '../group-by';
import { runsStrategies } from './evidence';
import { acquired, renewed, stepsOf, type HoldInterval } from './holders';

/** The state of the app at one time. */
export interface Moment {
  /** Requests that had started and not ended. */
  readonly running: readonly string[];
  /** Requests that held a lock of any kind: key, node, lock row, named lock, directory, mutex, or database row. */
  readonly holders: readonly string[];
}

/** Microseconds, as in the history. */
interface Span {
  readonly request: string;
  readonly from: number;
  readonly until: number;
}

/**
 * Returns a function from a time to the state at that time. A lock is held from the answer to its acquire until its
 * release is sent, its lease expires, another request acquires it, or the process dies.
 */
export function moments(
  history: readonly HistoryLine[],
  holdIntervals: readonly HoldInterval[],
): (t: number) => Moment {
  const steps = stepsOf(history);
  const running = runningOf(history);
  const holding = [...keysHeld(history, holdIntervals), ...heldElsewhere(steps)];
  const at = (spans: readonly Span[], t: number): Set<string> =>
    new Set(spans.flatMap(({ request, from, until }) => (from <= t && t <= until ? [request] : [])));
  return (t) => {
    return { running: [...at(running, t)], holders: [...at(holding, t)] };
  };
}

function runningOf(history: readonly HistoryLine[]): Span[] {
  const ended = new Map<string, number>();
  const died = new Map<string, number>();
  for (const line of history) {
    if (line.type === 'outcome' && runsStrategies(line)) ended.set(line.request, line.t);
    if (line.type === 'exit') died.set(processOf(line), line.t);
  }
  return history.flatMap((line) =>
    line.type === 'request' && runsStrategies(line)
      ? [
          {
            request: line.request,
            from: line.t,
            until: Math.min(ended.get(line.request) ?? Infinity, died.get(processOf(line)) ?? Infinity),
          },
        ]
      : [],
  );
}

const processOf = ({ replica, pid }: HistoryLine): string => `${replica} ${pid}`;

/** The end of the lease of a hold interval, with renewals, microseconds; `Infinity`: no lease, or an unknown one. */
export function leaseEnds(
  history: readonly HistoryLine[],
  holdIntervals: readonly HoldInterval[],
): (interval: HoldInterval) => number {
  const withLease = new Set(
    knownStrategies()
      .filter(({ options }) => options.includes('leaseMs'))
      .map(({ name }) => name),
  );
  const leases = new Map(
    history.flatMap((line) => {
      const lease = line.type === 'request' ? line.options['leaseMs'] : undefined;
      return line.type === 'request' && typeof lease === 'number' && withLease.has(line.strategy)
        ? [[line.request, 1000 * lease] as const]
        : [];
    }),
  );
  const holders = new Set(holdIntervals.map(({ request }) => request));
  const byRequest = groupBy(
    stepsOf(history).filter(
      ({ kind, key, request }) => kind === 'redis' && key !== undefined && holders.has(request),
    ),
    ({ request }) => request,
  );
  return ({ key, request, from }) => {
    const lease = leases.get(request);
    const own = (byRequest.get(request) ?? []).filter((step) => step.key === key);
    return lease === undefined || own.length === 0 ? Infinity : endOfLease(own, from, lease);
  };
}

/** Locks that are keys or nodes: the hold interval, cut at the end of the lease or at the next acquire. */
function keysHeld(history: readonly HistoryLine[], holdIntervals: readonly HoldInterval[]): Span[] {
  const endOf = leaseEnds(history, holdIntervals);
  const byKey = groupBy(holdIntervals, ({ key }) => key);
  return holdIntervals.map((interval) => {
    const { key, request, from, until } = interval;
    const next = (byKey.get(key) ?? [])
      .filter((other) => other.request !== request && other.from > from)
      .map((other) => other.from);
    return { request, from, until: Math.min(until ?? Infinity, endOf(interval), ...next) };
  });
}

/** The end of the lease granted at `from`, with its renewals. A lease starts when its command is sent. */
function endOfLease(own: readonly StepLine[], from: number, lease: number): number {
  const granted = own.find((step) => acquired(step) && step.t + step.took === from)?.t ?? from;
  return own
    .filter((step) => step.t > from && renewed(step))
    .reduce((end, step) => (step.t <= end ? step.t + lease : end), granted + lease);
}

const affected = ({ reply }: StepLine): boolean => /"affectedRows":[1-9]/.test(JSON.stringify(reply ?? null));

/** Locks that are no server keys: rows within a transaction, and what a step declares in another place. */
interface Hold {
  readonly inTransaction: boolean;
  readonly acquires: (step: StepLine) => boolean;
  readonly releases: (step: StepLine) => boolean;
}

const ROWS: Hold = {
  inTransaction: true,
  acquires: (step) =>
    step.kind === 'sql' &&
    (step.text.endsWith(' FOR UPDATE') || (/^(UPDATE|INSERT|DELETE)$/.test(step.verb) && affected(step))),
  releases: ({ kind, verb }) => kind === 'sql' && /^(COMMIT|ROLLBACK)$/.test(verb),
};

/** Lock rows and named locks, directories, mutexes. */
const DECLARED = (['sql', 'fs', 'local'] as const).map((kind): Hold => ({
  inTransaction: false,
  acquires: (step) => step.kind === kind && acquired(step),
  releases: (step) => step.kind === kind && step.lock?.role === 'release',
}));

function heldElsewhere(steps: readonly StepLine[]): Span[] {
  const done = steps.filter(({ pending, error }) => pending !== true && error === undefined);
  return [...groupBy(done, ({ request, pid }) => `${pid} ${request}`).values()].flatMap((own) =>
    [ROWS, ...DECLARED].flatMap((hold) => spansOf(own, hold)),
  );
}

function spansOf(own: readonly StepLine[], { acquires, releases, inTransaction }: Hold): Span[] {
  const spans: Span[] = [];
  let since: number | undefined;
  let begun = !inTransaction;
  for (const step of own.toSorted((a, b) => a.n - b.n)) {
    if (step.kind === 'sql' && step.verb === 'START') begun = true;
    if (releases(step)) {
      if (since !== undefined) spans.push({ request: step.request, from: since, until: step.t });
      since = undefined;
      begun = !inTransaction;
    } else if (begun && acquires(step)) since ??= step.t + step.took;
  }
  const [first] = own;
  if (since !== undefined && first !== undefined)
    spans.push({ request: first.request, from: since, until: Infinity });
  return spans;
}
