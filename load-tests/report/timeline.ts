import type { HistoryLine } from '#lab/step';
import { runsStrategies, type ClientAnswer, type Evidence, type Movement } from '#lab/verdict';

/** A movement with its position on the time axis. */
export interface Sale {
  readonly movement: Movement;
  /** Milliseconds since the run began, or the number of the sale when `measured` is false. */
  readonly at: number;
  /** Sold after the initial stock was gone. */
  readonly oversold: boolean;
  /** Another sale left the same remaining value. */
  readonly duplicate: boolean;
  /** The initial stock with all movements up to and including this. */
  readonly left: number;
}

export interface Annotation {
  /** Milliseconds since the run began. */
  readonly at: number;
  readonly label: string;
  readonly replica: string;
  readonly request: string;
}

/** All events on one clock: milliseconds since the run began. */
export interface Timeline {
  /** Converts a history time (µs, monotonic) to this clock. */
  readonly ms: (t: number) => number;
  /** The time at which the buyer received the answer. */
  readonly answered: (answer: ClientAnswer) => number;
  /** In the order of their inserts, which is that of their commits. */
  readonly sales: readonly Sale[];
  /** False when there is no history; sales are numbered instead. */
  readonly measured: boolean;
  readonly faults: readonly Annotation[];
}

type Seen = Pick<Evidence, 'history' | 'movements' | 'answers' | 'initial'>;

export function timelineOf(evidence: Seen): Timeline {
  const { history, movements } = evidence;
  const { begin, lag } = clocksOf(evidence);
  const ms = (t: number): number => t / 1000 - begin;
  const ended = new Map(
    history.flatMap((line) =>
      line.type === 'outcome' && line.app === 'order' ? [[line.request, ms(line.t)] as const] : [],
    ),
  );
  const answered = ({ request, at, tookMs }: ClientAnswer): number => ended.get(request) ?? at + tookMs + lag;
  const committed = commitTimes(history);
  const measured = movements.some(({ request }) => committed.has(request));
  const times = inOrder(
    movements.map(({ request }) => {
      const t = committed.get(request);
      return t === undefined ? undefined : ms(t);
    }),
  );
  const placed = movements.map((movement, i) => ({ movement, at: measured ? (times[i] ?? 0) : i + 1 }));
  const faults = history.flatMap((line) =>
    line.type === 'fault'
      ? [{ at: ms(line.t), label: line.fault, replica: line.replica, request: line.request }]
      : [],
  );
  return { ms, answered, measured, faults, sales: salesOf(placed, evidence.initial) };
}

function salesOf(placed: readonly { movement: Movement; at: number }[], initial: number): Sale[] {
  const valueOf = ({ segment, after }: Movement): string => `${segment}: ${after}`;
  const sellers = new Map<string, number>();
  for (const value of placed.map(({ movement }) => valueOf(movement)))
    sellers.set(value, (sellers.get(value) ?? 0) + 1);
  let left = initial;
  return placed.map(({ movement, at }) => {
    left += movement.delta;
    return { movement, at, left, oversold: left < 0, duplicate: (sellers.get(valueOf(movement)) ?? 0) > 1 };
  });
}

/**
 * The times of commits that happened in this order: a row stays locked from its UPDATE to its COMMIT, so that movements are
 * committed in the order of their inserts. A replica may record the reply of a COMMIT later than another one that of the next.
 * An unknown time is that of the previous commit.
 */
function inOrder(times: readonly (number | undefined)[]): number[] {
  let last = 0;
  const known = times.map((time) => (last = time ?? last));
  let next = Infinity;
  return known
    .toReversed()
    .map((time) => (next = Math.min(time, next)))
    .toReversed();
}

/** The time at which each request's sale became visible: the end of its COMMIT, else of its INSERT, else its outcome. µs. */
function commitTimes(history: readonly HistoryLine[]): ReadonlyMap<string, number> {
  const inserted = new Map<string, number>();
  const committed = new Map<string, number>();
  const ended = new Map<string, number>();
  for (const line of history) {
    if (line.type === 'outcome' && runsStrategies(line)) ended.set(line.request, line.t);
    if (line.type !== 'step' || line.kind !== 'sql' || line.pending === true) continue;
    if (line.text.startsWith('INSERT INTO movement')) inserted.set(line.request, line.t + line.took);
    else if (line.verb === 'COMMIT') committed.set(line.request, line.t + line.took);
  }
  return new Map([...ended, ...inserted, ...[...committed].filter(([request]) => inserted.has(request))]);
}

/**
 * `begin`: the history time of the first request, in milliseconds. `lag`: how much later the clients' clock read 0, as the
 * median difference between the order app's request times and the clients' send times.
 */
function clocksOf({ history, answers }: Seen): { begin: number; lag: number } {
  const asked = new Map(answers.map(({ request, at }) => [request, at]));
  const requests = history.filter((line) => line.type === 'request');
  const begin = requests.reduce((first, { t }) => Math.min(first, t), requests[0]?.t ?? 0) / 1000;
  const differences = requests.flatMap(({ app, request, t }) => {
    const at = asked.get(request);
    return app === 'order' && at !== undefined ? [t / 1000 - at - begin] : [];
  });
  differences.sort((a, b) => a - b);
  return { begin, lag: Math.max(0, differences[differences.length >> 1] ?? 0) };
}
