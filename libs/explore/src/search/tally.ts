import {
  HARMS,
  protections,
  worstHarm,
  type Harm,
  type ScheduleHistory,
  type ScheduleViolation,
  type ScheduleViolationKind,
} from '#lab/verdict';
import { scheduleText, type Choice } from '../schedule';
import type { Execution } from './execution';
import { isWaiting } from '../actors';

/** A schedule that shows a violation. */
export interface Witness {
  readonly choices: readonly Choice[];
  readonly violations: readonly ScheduleViolation[];
}

/** What an exploration found. Only data: workers send it to one another. */
export interface Tally {
  /** Schedules that were run to their end. */
  schedules: number;
  /** Begun and left: everything that could follow had been explored in another order. */
  redundant: number;
  /** Schedules with any violation at all. */
  violating: number;
  /** Schedules by the worst harm that they show. */
  readonly harms: Record<Harm, number>;
  /** Schedules by kind of violation; one schedule may show several. */
  readonly kinds: Map<ScheduleViolationKind, number>;
  /** The shortest one of each kind, not shrunk yet. */
  readonly witnesses: Map<ScheduleViolationKind, Witness>;
  /** Schedules in which a fault of the plan happened, by fault. */
  readonly fired: Map<string, number>;
  /** Schedules in which steps of two actors alternated. */
  contended: number;
  /** How the others were kept out: schedules with a wait, a refusal, an abort. */
  readonly prevented: { waits: number; rejects: number; aborts: number };
  /** Schedules by what kept an actor out: a statement that waited or refused, as `protections` names it. */
  readonly protections: Map<string, number>;
  /** Round trips of all schedules. */
  readonly calls: { redis: number; sql: number };
  /** True when schedules are left that were not run. */
  partial: boolean;
}

export const emptyTally = (): Tally => ({
  schedules: 0,
  redundant: 0,
  violating: 0,
  harms: { 'data-wrong': 0, unavailable: 0, 'lock-broken': 0 },
  kinds: new Map(),
  witnesses: new Map(),
  fired: new Map(),
  contended: 0,
  prevented: { waits: 0, rejects: 0, aborts: 0 },
  protections: new Map(),
  calls: { redis: 0, sql: 0 },
  partial: false,
});

/** Adds one schedule. */
export function count(tally: Tally, { choices, result }: Execution): void {
  if (result === undefined) {
    tally.redundant++;
    return;
  }
  const { history, verdict } = result;
  tally.schedules++;
  const harm = worstHarm(verdict.violations.map(({ kind }) => kind));
  if (harm !== undefined) {
    tally.violating++;
    tally.harms[harm]++;
  }
  for (const protection of protections(history)) add(tally.protections, protection, 1);
  for (const kind of new Set(verdict.violations.map((violation) => violation.kind))) {
    add(tally.kinds, kind, 1);
    keepShorter(tally, kind, { choices, violations: verdict.violations });
  }
  for (const fault of firedIn(history)) add(tally.fired, fault, 1);
  if (isContended(history)) tally.contended++;
  const has = (test: (event: ScheduleHistory['events'][number]) => boolean): number =>
    history.events.some(test) ? 1 : 0;
  tally.prevented.waits += has(
    (e) => e.type === 'step' && (e.answeredAt !== undefined || e.waited === true || isWaiting(e)),
  );
  tally.prevented.rejects += has(
    (e) => e.type === 'end' && /SOLD_OUT|NOT_OBTAINED|CONFLICT|FENCED/.test(e.code),
  );
  tally.prevented.aborts += has((e) => e.type === 'end' && /LOST|DEADLOCK|TIMEOUT/.test(e.code));
  for (const kind of ['redis', 'sql'] as const)
    tally.calls[kind] += history.events.filter(
      (event) => event.type === 'step' && event.kind === kind,
    ).length;
}

/** Adds what another worker found. */
export function merge(tally: Tally, other: Tally): void {
  for (const key of ['schedules', 'redundant', 'violating', 'contended'] as const) tally[key] += other[key];
  for (const key of ['waits', 'rejects', 'aborts'] as const) tally.prevented[key] += other.prevented[key];
  for (const key of ['redis', 'sql'] as const) tally.calls[key] += other.calls[key];
  for (const harm of HARMS) tally.harms[harm] += other.harms[harm];
  for (const [protection, n] of other.protections) add(tally.protections, protection, n);
  for (const [kind, n] of other.kinds) add(tally.kinds, kind, n);
  for (const [fault, n] of other.fired) add(tally.fired, fault, n);
  for (const [kind, witness] of other.witnesses) keepShorter(tally, kind, witness);
}

const add = <K>(counts: Map<K, number>, key: K, n: number): void =>
  void counts.set(key, (counts.get(key) ?? 0) + n);

/** Shorter; of the same length the first one in alphabetical order, so that the order of the search does not show. */
function keepShorter(tally: Tally, kind: ScheduleViolationKind, witness: Witness): void {
  const known = tally.witnesses.get(kind);
  const rank = ({ choices }: Witness): [number, string] => [choices.length, scheduleText(choices)];
  if (known !== undefined) {
    const [length, text] = rank(witness);
    const [knownLength, knownText] = rank(known);
    if (length > knownLength || (length === knownLength && text >= knownText)) return;
  }
  tally.witnesses.set(kind, witness);
}

/** The faults that really happened: a lease that a watchdog kept alive counts, a flush of nothing does not. */
function firedIn({ events }: ScheduleHistory): Set<string> {
  return new Set(
    events.flatMap((event) => {
      if (event.type === 'fault')
        return event.fault !== 'resume' && (event.effective || event.fault === 'lapse') ? [event.fault] : [];
      return event.type === 'step' && (event.fault === 'error' || event.fault === 'lose-reply')
        ? [event.fault]
        : [];
    }),
  );
}

/** Two actors were on their way at the same time: one waited, or went on after another one had made a step. */
function isContended({ events }: ScheduleHistory): boolean {
  const line = events.flatMap((event) => (event.type === 'step' ? [event.actor] : []));
  const runs = line.filter((actor, i) => actor !== line[i - 1]);
  const waited = events.some((event) => event.type === 'step' && event.waited === true);
  return waited || runs.length > new Set(runs).size;
}
