import {
  HARMS,
  protections,
  worstFirst,
  worstHarm,
  type Harm,
  type ScheduleHistory,
  type ScheduleViolation,
  type ScheduleViolationKind,
} from '#lab/verdict';
import { scheduleText, type Choice } from '../schedule';
import type { Execution } from './execution';
import { isWaiting } from '../actors';
import { standsForSeveral } from '../world';

/** A schedule that shows a violation. */
export interface Witness {
  readonly choices: readonly Choice[];
  readonly violations: readonly ScheduleViolation[];
}

/** Result of an exploration. Plain data: workers send it as a message. */
export interface Tally {
  /** Completed schedules. */
  schedules: number;
  /** Schedules abandoned because every continuation was explored in another order. */
  redundant: number;
  /** Schedules with a violation. */
  violating: number;
  /** Schedules by the worst harm that they show. */
  readonly harms: Record<Harm, number>;
  /**
   * Interleavings that the schedules stand for, and those of them by the worst harm: counts of reduced schedules depend on
   * the reduction, the share of interleavings does not. Undefined with a bound, and with faults and the reduction.
   */
  interleavings: Record<'all' | Harm, number> | undefined;
  /** Schedules by kind of violation; one schedule may show several. */
  readonly kinds: Map<ScheduleViolationKind, number>;
  /** The shortest witness of each kind, before shrinking. */
  readonly witnesses: Map<ScheduleViolationKind, Witness>;
  /** Schedules in which a fault of the plan occurred, by fault. */
  readonly fired: Map<string, number>;
  /** Schedules in which steps of two actors alternated. */
  contended: number;
  /** Schedules in which a request was applied; of a user's subject, in which an actor returned. */
  applied: number;
  /** Schedules with a wait, a refusal, an abort. */
  readonly prevented: { waits: number; rejects: number; aborts: number };
  /** Schedules by the statement that made an actor wait or refused it, as `protections` names it. */
  readonly protections: Map<string, number>;
  /** Commands and statements of all schedules. */
  readonly calls: { redis: number; sql: number };
  /** Estimated share of the tree that was searched, 0 to 1: as if all branches of a node were equally large. */
  searched: number;
  /** True when not every schedule was run. */
  partial: boolean;
  /** A step that stands for several statements, between which nothing was explored; undefined: there is none. */
  several: string | undefined;
  /** A command that a client sent which is not observed, so that its order was not explored; undefined: there is none. */
  unobserved: string | undefined;
}

/**
 * The worst harm of an exploration, and how many schedules show it; undefined: none shows any. One schedule may show several
 * harms, so their counts have no sum.
 */
export function worstHarmOf({
  harms,
}: Pick<Tally, 'harms'>): { readonly harm: Harm; readonly schedules: number } | undefined {
  const harm = HARMS.find((one) => harms[one] > 0);
  return harm && { harm, schedules: harms[harm] };
}

export const emptyTally = (): Tally => ({
  schedules: 0,
  redundant: 0,
  violating: 0,
  harms: { 'data-wrong': 0, unavailable: 0, 'lock-broken': 0 },
  interleavings: { all: 0, 'data-wrong': 0, unavailable: 0, 'lock-broken': 0 },
  kinds: new Map(),
  witnesses: new Map(),
  fired: new Map(),
  contended: 0,
  applied: 0,
  prevented: { waits: 0, rejects: 0, aborts: 0 },
  protections: new Map(),
  calls: { redis: 0, sql: 0 },
  searched: 0,
  partial: false,
  several: undefined,
  unobserved: undefined,
});

export function count(
  tally: Tally,
  { choices, result, unobserved, share }: Pick<Execution, 'choices' | 'result' | 'unobserved' | 'share'>,
): void {
  tally.searched += share;
  tally.unobserved ??= unobserved;
  if (result === undefined) {
    tally.redundant++;
    return;
  }
  const { history, verdict, interleavings, isContended } = result;
  tally.schedules++;
  const harm = worstHarm(verdict.violations.map(({ kind }) => kind));
  if (harm !== undefined) {
    tally.violating++;
    tally.harms[harm]++;
  }
  addInterleavings(
    tally,
    interleavings === undefined ? undefined : { all: interleavings, ...(harm && { [harm]: interleavings }) },
  );
  for (const protection of protections(history)) add(tally.protections, protection, 1);
  for (const kind of new Set(verdict.violations.map((violation) => violation.kind))) {
    add(tally.kinds, kind, 1);
    keepShorter(tally, kind, { choices, violations: verdict.violations });
  }
  for (const fault of faultsIn(history)) add(tally.fired, fault, 1);
  if (isContended) tally.contended++;
  const oneIf = (test: (event: ScheduleHistory['events'][number]) => boolean): number =>
    history.events.some(test) ? 1 : 0;
  tally.applied += oneIf((e) => e.type === 'end' && e.code === 'APPLIED');
  tally.prevented.waits += oneIf(
    (e) => e.type === 'step' && (e.answeredAt !== undefined || e.delayed === true || isWaiting(e)),
  );
  tally.prevented.rejects += oneIf(
    (e) => e.type === 'end' && /SOLD_OUT|NOT_OBTAINED|CONFLICT|FENCED/.test(e.code),
  );
  tally.prevented.aborts += oneIf((e) => e.type === 'end' && /LOST|DEADLOCK|TIMEOUT/.test(e.code));
  [tally.several] = history.events.flatMap((e) => (e.type === 'step' && standsForSeveral(e) ? [e.text] : []));
  for (const kind of ['redis', 'sql'] as const)
    tally.calls[kind] += history.events.filter(
      (event) => event.type === 'step' && event.kind === kind,
    ).length;
}

/** No actor has sent a command or statement that was observed: the order of their steps was not explored. */
export const isBlind = ({ schedules, calls }: Tally): boolean =>
  schedules > 0 && calls.redis + calls.sql === 0;

/** The witness of the worst kind, or of the worst of these; undefined: no such violation was found. */
export function worstWitness(
  { witnesses }: Tally,
  kinds?: readonly ScheduleViolationKind[],
): { readonly kind: ScheduleViolationKind; readonly witness: Witness } | undefined {
  const [kind] = worstFirst([...witnesses.keys()].filter((one) => kinds?.includes(one) ?? true));
  const witness = kind === undefined ? undefined : witnesses.get(kind);
  return kind === undefined || witness === undefined ? undefined : { kind, witness };
}

/** Adds the tally of another worker. */
export function merge(tally: Tally, other: Tally): void {
  for (const key of ['schedules', 'redundant', 'violating', 'contended', 'applied', 'searched'] as const)
    tally[key] += other[key];
  for (const key of ['waits', 'rejects', 'aborts'] as const) tally.prevented[key] += other.prevented[key];
  for (const key of ['redis', 'sql'] as const) tally.calls[key] += other.calls[key];
  for (const harm of HARMS) tally.harms[harm] += other.harms[harm];
  tally.several ??= other.several;
  tally.unobserved ??= other.unobserved;
  addInterleavings(tally, other.interleavings);
  for (const [protection, n] of other.protections) add(tally.protections, protection, n);
  for (const [kind, n] of other.kinds) add(tally.kinds, kind, n);
  for (const [fault, n] of other.fired) add(tally.fired, fault, n);
  for (const [kind, witness] of other.witnesses) keepShorter(tally, kind, witness);
}

function addInterleavings(tally: Tally, more: Partial<Record<'all' | Harm, number>> | undefined): void {
  if (more === undefined) tally.interleavings = undefined;
  else if (tally.interleavings !== undefined)
    for (const key of ['all', ...HARMS] as const) tally.interleavings[key] += more[key] ?? 0;
}

const add = <K>(counts: Map<K, number>, key: K, n: number): void =>
  void counts.set(key, (counts.get(key) ?? 0) + n);

/**
 * Keeps the shorter witness; of equal length the first in alphabetical order, so that the result does not depend on
 * the order of the search.
 */
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

/** The faults that occurred: a lapse counts although a watchdog renewed the lease, a flush of nothing does not. */
function faultsIn({ events }: ScheduleHistory): Set<string> {
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
