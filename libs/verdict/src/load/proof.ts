import type { FaultLine, HistoryLine, ProcessLine } from '#lab/step';
import { runsStrategies, type Evidence } from './evidence';
import type { HoldInterval } from './holders';
import { moments, type Moment } from './moments';
import type { Reason } from './reason';

/** The process or the step that observed a fault, and how. */
type FaultWitness =
  | 'the supervisor: it ended by SIGKILL'
  | 'its successor'
  | 'the supervisor: state T'
  | 'the helper: state T'
  | 'the step that it hit';

/** A fault that fired. `seenBy` is the observer, never the process that the fault hit; null: no observer. */
export interface FiredFault {
  readonly fault: string;
  readonly request: string;
  readonly replica: string;
  readonly at: string;
  /** Microseconds, as in the history. */
  readonly t: number;
  /** The action: `kill`, `pause`, … */
  readonly action: string;
  readonly seenBy: FaultWitness | null;
  /** The request held a lock when the fault fired: its acquire was answered and its release not yet sent. */
  readonly holding: boolean;
  /** The number of other requests that were running in the app at that time. */
  readonly others: number;
}

/** What a proof is made from. */
export type Tested = Pick<Evidence, 'history' | 'replicas' | 'faults' | 'amidst'>;

/** The evidence that the run tested the lock. */
export interface Proof {
  /** Two requests that ran at the same time on different replicas, or in the only one. */
  readonly contention: readonly [string, string] | null;
  readonly fired: readonly FiredFault[];
  /** Sources of the requested faults that did not fire, had no observer, or did not hit a holder as required. */
  readonly unproved: readonly string[];
  /** The missing parts of the proof. */
  readonly missing: readonly Reason[];
}

export function prove(evidence: Tested, holdIntervals: readonly HoldInterval[]): Proof {
  const contention = findContention(evidence);
  const momentAt = moments(evidence.history, holdIntervals);
  const fired = evidence.history
    .filter((line): line is FaultLine => line.type === 'fault')
    .map((line) => firedFault(line, evidence.history, momentAt(line.t)));
  const asked = evidence.faults.flatMap((header) => header.split(';').map((source) => source.trim()));
  const missed = evidence.amidst === true ? fired.flatMap(missesHolder) : [];
  const unproved = asked.filter(
    (fault) =>
      !fired.some(
        (one) =>
          one.fault === fault &&
          one.seenBy !== null &&
          (evidence.amidst !== true || missesHolder(one).length === 0),
      ),
  );
  const missing: readonly Reason[] = [
    ...(contention === null
      ? [{ code: 'no-contention', acrossReplicas: evidence.replicas > 1 } as const]
      : []),
    ...asked
      .filter((fault) => !fired.some((one) => one.fault === fault))
      .map((fault) => ({ code: 'fault-not-fired', fault }) as const),
    ...fired
      .filter(({ seenBy }) => seenBy === null)
      .map(({ fault }) => ({ code: 'fault-not-witnessed', fault }) as const),
    ...missed,
  ];
  return { contention, fired, unproved, missing };
}

/** Why a fault did not hit a holder under contention. */
const missesHolder = ({ fault, request, holding, others }: FiredFault): readonly Reason[] => [
  ...(holding ? [] : [{ code: 'fault-missed-holder', fault, request } as const]),
  ...(others > 0 ? [] : [{ code: 'fault-without-waiters', fault } as const]),
];

/** Actions that need an observer of the process. Other faults hit one step, which proves them. */
const HITS_PROCESS = new Set(['kill', 'pause', 'pause-until']);

function firedFault(
  line: FaultLine,
  history: readonly HistoryLine[],
  { running, holders }: Moment,
): FiredFault {
  const { fault, request, replica, at, pid, t, action } = line;
  const observes = (other: HistoryLine): other is ProcessLine =>
    other.t >= t &&
    other.replica === replica &&
    (action === 'kill' ? diedOf(other, pid) : other.type === 'stopped' && other.pid === pid);
  const seen = history.find(observes);
  const witness =
    seen?.type === 'exit'
      ? 'the supervisor: it ended by SIGKILL'
      : seen?.type === 'start'
        ? 'its successor'
        : seen?.because === undefined
          ? 'the supervisor: state T'
          : 'the helper: state T';
  return {
    fault,
    request,
    replica,
    at,
    t,
    action,
    seenBy: HITS_PROCESS.has(action) ? (seen === undefined ? null : witness) : 'the step that it hit',
    holding: holders.includes(request),
    others: running.filter((other) => other !== request).length,
  };
}

const diedOf = (line: HistoryLine, pid: number): boolean =>
  (line.type === 'exit' && line.pid === pid && line.signal === 'SIGKILL') ||
  (line.type === 'start' && line.pid !== pid);

/** The first pair of requests that ran at the same time, with several replicas on different ones. */
function findContention({ history, replicas }: Tested): readonly [string, string] | null {
  const ends = new Map(
    history.flatMap((line) =>
      line.type === 'outcome' && runsStrategies(line) ? [[line.request, line.t] as const] : [],
    ),
  );
  const running: { request: string; replica: string; until: number }[] = [];
  for (const line of history) {
    if (line.type !== 'request' || !runsStrategies(line)) continue;
    const concurrent = running.find(
      ({ replica, until }) => until > line.t && (replicas === 1 || replica !== line.replica),
    );
    if (concurrent !== undefined) return [concurrent.request, line.request];
    running.push({ request: line.request, replica: line.replica, until: ends.get(line.request) ?? line.t });
    if (running.length > 500) running.shift();
  }
  return null;
}
