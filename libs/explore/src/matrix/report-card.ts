import { CAPABILITIES, type Capability, type Strategy } from '#lab/strategy';
import { testsAny, testsNone, type Cell } from './cells';
import { isNotApplicable } from './cell-text';
import { unknownText } from './cell-verdict';
import { breachesAmong, breachesOf, isExplainedBy } from './expectation';
import type { MatrixCell } from './matrix';
import type { Probe } from './probe';
import { worstFirst, type ScheduleViolationKind } from '#lab/verdict';

export type PromiseState = 'kept' | 'broken' | 'not-applicable' | 'unknown';

/** What the explorations of a strategy say about one of its promises. */
export interface PromiseResult {
  readonly capability: Capability;
  readonly about: string;
  /**
   * `broken`: a schedule shows it. `kept`: every schedule was run and shows no breach. `not-applicable`: every schedule was run, and
   * the fault occurs in none: nothing tests the promise. `unknown`: none of these.
   */
  readonly state: PromiseState;
  readonly schedules: number;
  /** Schedules that break it. */
  readonly violating: number;
  /** Why the state is `unknown` or `not-applicable`, or `broken` without a violation. */
  readonly because?: string;
  /** The shortest schedule that breaks it, and its mechanism. */
  readonly token?: string;
  readonly sentence?: string;
}

/** A kind of violation that no broken promise explains, in the circumstances that show it. */
export interface Unexplained {
  readonly kind: ScheduleViolationKind;
  /** Titles of the circumstances. */
  readonly circumstances: readonly string[];
  /** Schedules that show it. */
  readonly schedules: number;
  /** The shortest schedule that was kept of it, and its mechanism. Absent: a worse violation of the same circumstance was kept. */
  readonly token?: string;
  readonly sentence?: string;
}

/** An explored circumstance, or why it could not be explored. */
export interface VerifiedCell {
  readonly cell: Cell;
  readonly explored?: MatrixCell;
  readonly failure?: string;
}

export const ALL_PROMISES = Object.keys(CAPABILITIES) as Capability[];

/** Promises about the owner of a lock: those without a known owner would be kept by not looking. */
const OF_OWNERS: readonly Capability[] = ['releasesOnlyItsOwn', 'renewsOnlyItsOwn'];

/**
 * The results of these promises, in the order of the capabilities. Promises that no circumstance tested are left out.
 * `lockHasOwner`: what the probe has found.
 */
export function reportCard(
  cells: readonly VerifiedCell[],
  promises: readonly Capability[] = ALL_PROMISES,
  { lockHasOwner }: Pick<Probe, 'lockHasOwner'> = { lockHasOwner: true },
): readonly PromiseResult[] {
  return ALL_PROMISES.filter((capability) => promises.includes(capability)).flatMap((capability) => {
    const own = cells.filter(({ cell }) => testsAny(cell, [capability]));
    if (own.length === 0) return [];
    const result = resultOf(capability, own);
    const isVacuous = !lockHasOwner && OF_OWNERS.includes(capability) && result.state === 'kept';
    return [isVacuous ? { ...result, state: 'unknown', because: NO_OWNER } : result];
  });
}

/** What breaks promises in the schedules of a circumstance. */
type Found = Pick<MatrixCell, 'kinds' | 'unsold'>;

function resultOf(capability: Capability, cells: readonly VerifiedCell[]): PromiseResult {
  const explored = cells.flatMap((one) => one.explored ?? []);
  const breaking = (one: MatrixCell): number => schedulesThatBreak(capability, one);
  const isBroken = explored.some((one) => breaking(one) > 0);
  const [shortest] = explored
    .flatMap((one) => breachesIn(one, capability).flatMap((kind) => one.witnesses?.[kind] ?? []))
    .sort((a, b) => a.token.length - b.token.length);
  const applicable = cells.filter(({ explored: found }) => found === undefined || !cannotOccur(found));
  const because = whyUndecided(capability, applicable);
  return {
    capability,
    about: CAPABILITIES[capability],
    state: isBroken
      ? 'broken'
      : applicable.length === 0
        ? 'not-applicable'
        : because === undefined
          ? 'kept'
          : 'unknown',
    schedules: sum(explored.map(({ schedules }) => schedules)),
    violating: sum(explored.map(breaking)),
    ...(!isBroken && because !== undefined && { because }),
    ...(isBroken && shortest === undefined && { because: NOT_SOLD }),
    ...shortest,
  };
}

/** Schedules of an explored circumstance that break the promise. */
export const schedulesThatBreak = (capability: Capability, found: Found): number =>
  Math.max(
    unsoldIn(found, capability),
    ...breachesIn(found, capability).map((kind) => found.kinds[kind] ?? 0),
  );

/** Schedules of a circumstance in which none of the buyers gets the unit that one of them must get. */
const unsoldIn = ({ unsold = 0 }: Found, capability: Capability): number =>
  capability === 'exactInOneProcess' || capability === 'exactAcrossProcesses' ? unsold : 0;

/** The kinds of violation in an explored circumstance that break the promise. */
const breachesIn = ({ kinds }: Found, capability: Capability): readonly ScheduleViolationKind[] =>
  breachesAmong(capability, Object.keys(kinds) as ScheduleViolationKind[]);

/** The reason of a promise for which the time or the number of schedules was not enough. */
export const NOT_ALL_RUN = 'not every schedule was run';
/** No release of another holder's entry is seen. */
const NO_OWNER = 'the explorer knows no owner of this lock: its entry is in a list, a sorted set or a stream';
/** A loop that looks at the time before its first attempt. */
const NO_ATTEMPT =
  'the actors never overlapped: with waitMs 0 the lock must try once before it looks at the time';
/** A breach without a violation of a lock or of data. */
const NOT_SOLD = 'in these schedules no buyer gets the unit';
const TWO_HOLDERS = 'two clients hold the lock, and the release of one may remove the lock of the other';

/** Why these circumstances do not decide a promise; undefined: they do. */
function whyUndecided(capability: Capability, applicable: readonly VerifiedCell[]): string | undefined {
  if (applicable.length === 0) return 'the fault cannot occur';
  for (const { cell, explored, failure } of applicable) {
    if (failure !== undefined) return failure;
    const reason = explored?.mark === 'unknown' ? explored.reason : undefined;
    if (reason?.code === 'incomplete' || (reason === undefined && explored?.partial === true))
      return NOT_ALL_RUN;
    if (reason?.code === 'no-contention' && cell.options?.waitMs === 0) return NO_ATTEMPT;
    if (reason !== undefined) return unknownText(reason);
    const shown = Object.keys(explored?.kinds ?? {});
    if (breachesOf(capability).some((kind) => shown.includes(kind))) return TWO_HOLDERS; // and it is not broken
  }
  return undefined;
}

/** Every schedule was run, and the fault occurs in none. */
const cannotOccur = (explored: MatrixCell): boolean => isNotApplicable(explored) && explored.partial !== true;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/**
 * The violations that no broken promise of the card explains, and none that the strategy declares to lack, the worst first: a
 * circumstance tests some promises only, and those of `further` test none.
 */
export function unexplained(
  cells: readonly VerifiedCell[],
  card: readonly PromiseResult[],
  lacks: readonly Capability[] = [],
): readonly Unexplained[] {
  const found = card.flatMap(({ state, capability }) => (state === 'broken' ? [capability] : []));
  const broken = [...found, ...lacks];
  const shown = cells.flatMap(({ cell, explored }) =>
    Object.entries(explored?.kinds ?? {}).flatMap(([name, schedules]) => {
      const kind = name as ScheduleViolationKind;
      if (isExplainedBy(broken, kind, cell)) return [];
      return [{ kind, title: cell.title, schedules, witness: explored?.witnesses?.[kind] }];
    }),
  );
  return worstFirst([...new Set(shown.map(({ kind }) => kind))]).map((kind) => {
    const own = shown.filter((one) => one.kind === kind);
    const [shortest] = own
      .flatMap(({ witness }) => witness ?? [])
      .sort((a, b) => a.token.length - b.token.length);
    return {
      kind,
      circumstances: own.map(({ title }) => title),
      schedules: sum(own.map(({ schedules }) => schedules)),
      ...shortest,
    };
  });
}

/** Titles of the circumstances that test no promise and could not be explored, or not at all in the time. */
export const leftOpen = (cells: readonly VerifiedCell[]): readonly string[] =>
  cells.flatMap(({ cell, explored }) =>
    testsNone(cell) && (explored?.schedules ?? 0) === 0 ? [cell.title] : [],
  );

/** Deviations from what the strategy declares that it lacks. */
export const promiseContradictions = (
  { lacks }: Pick<Strategy, 'lacks'>,
  card: readonly PromiseResult[],
): readonly string[] =>
  card.flatMap(({ capability, state }) => {
    if (state === 'broken' && !lacks.includes(capability))
      return [`${capability} is broken, and not declared in lacks`];
    if (state === 'kept' && lacks.includes(capability))
      return [`${capability} is declared in lacks, and was kept`];
    return [];
  });
