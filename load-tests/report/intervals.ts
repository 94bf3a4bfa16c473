import type { HistoryLine } from '#lab/step';
import { judgeHolders, runsStrategies, type Evidence, type LoadVerdict } from '#lab/verdict';
import type { Timeline } from './timeline';

/** A time span on the lane of a replica. All times in milliseconds since the run began. */
export interface Interval {
  readonly replica: string;
  readonly request: string;
  readonly from: number;
  readonly until: number;
  /** It was never released or never answered; `until` is then the replica's death or the end of the run. */
  readonly open: boolean;
  /** Its lock outlived it and blocked others until then: the next acquisition, or the end of the run. */
  readonly lingersUntil?: number;
}

/** Two simultaneous holders. */
export interface Clash {
  readonly from: number;
  readonly until: number;
  readonly first: string;
  readonly second: string;
}

/** A time in which a replica was paused or dead. */
export interface Gap {
  readonly replica: string;
  readonly from: number;
  readonly until: number;
  readonly kind: 'paused' | 'dead';
}

export interface Intervals {
  /** `held`: hold times of a lock; `request`: the strategy holds no lock, these are whole requests in the inventory app. */
  readonly kind: 'held' | 'request';
  readonly all: readonly Interval[];
  /** Every replica that ran the strategy for a request. */
  readonly replicas: readonly string[];
  readonly clashes: readonly Clash[];
  readonly gaps: readonly Gap[];
}

export function intervalsOf(
  { history }: Pick<Evidence, 'history'>,
  { overlaps }: Pick<LoadVerdict, 'overlaps'>,
  { ms }: Timeline,
): Intervals {
  const end = history.reduce((last, { t }) => Math.max(last, ms(t)), 0);
  const gaps = gapsOf(history, ms, end);
  const { holdIntervals } = judgeHolders(history);
  const replicas = [
    ...new Set(
      history.flatMap((line) => (line.type === 'request' && runsStrategies(line) ? [line.replica] : [])),
    ),
  ].sort();
  /** The hold time of a killed holder ends with its death, even if its lock outlives it. */
  const closeAt = ({ replica, from }: { replica: string; from: number }): number =>
    gaps.find((gap) => gap.kind === 'dead' && gap.replica === replica && gap.from >= from)?.from ?? end;
  if (holdIntervals.length === 0)
    return { kind: 'request', all: requests(history, ms, closeAt), replicas, clashes: [], gaps };

  const all = holdIntervals.map(({ key, replica, request, from, until }): Interval => {
    const span = { replica, request, from: ms(from) };
    if (until !== null) return { ...span, until: ms(until), open: false };
    const next = holdIntervals.find((other) => other.key === key && other.from > from)?.from;
    return { ...span, until: closeAt(span), open: true, lingersUntil: next === undefined ? end : ms(next) };
  });
  const lastWork = lastWorkOf(history, ms);
  const holding = new Map(all.map((interval) => [interval.request, interval]));
  const clashes = overlaps.flatMap(({ first, second }) => {
    const [one, two] = [holding.get(first), holding.get(second)];
    if (one === undefined || two === undefined) return [];
    const until = Math.max(one.until, lastWork.get(`${one.replica} ${first}`) ?? 0);
    return [{ first, second, from: two.from, until: Math.max(two.from, Math.min(until, two.until)) }];
  });
  return { kind: 'held', all, replicas, clashes, gaps };
}

type Ms = (t: number) => number;

function requests(
  history: readonly HistoryLine[],
  ms: Ms,
  closeAt: (span: { replica: string; from: number }) => number,
): Interval[] {
  const ended = new Map<string, number>();
  for (const line of history)
    if (line.type === 'outcome' && runsStrategies(line)) ended.set(line.request, ms(line.t));
  return history.flatMap((line) => {
    if (line.type !== 'request' || !runsStrategies(line)) return [];
    const { replica, request } = line;
    const from = ms(line.t);
    const until = ended.get(request);
    return [
      { replica, request, from, until: until ?? closeAt({ replica, from }), open: until === undefined },
    ];
  });
}

/** The end of each request's last statement, by replica and request. */
function lastWorkOf(history: readonly HistoryLine[], ms: Ms): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  for (const line of history) {
    if (line.type !== 'step' || line.kind !== 'sql') continue;
    const key = `${line.replica} ${line.request}`;
    last.set(key, Math.max(ms(line.t + line.took), last.get(key) ?? 0));
  }
  return last;
}

/** From `stopped` to `resumed` and from `exit` to `start` of each replica; an open gap lasts to the end of the run. */
function gapsOf(history: readonly HistoryLine[], ms: Ms, end: number): Gap[] {
  const gaps: Gap[] = [];
  const since = new Map<string, { from: number; kind: Gap['kind'] }>();
  const close = (replica: string, until: number): void => {
    const open = since.get(replica);
    if (open !== undefined) gaps.push({ replica, ...open, until });
    since.delete(replica);
  };
  for (const { type, replica, t } of [...history].sort((a, b) => a.t - b.t)) {
    if (!['stopped', 'resumed', 'exit', 'start'].includes(type)) continue;
    if (type === 'stopped' && since.has(replica)) continue; // the helper of the pause and the supervisor both record it
    close(replica, ms(t));
    if (type === 'stopped') since.set(replica, { from: ms(t), kind: 'paused' });
    if (type === 'exit') since.set(replica, { from: ms(t), kind: 'dead' });
  }
  for (const replica of [...since.keys()]) close(replica, end);
  return gaps;
}
