import { messageOf } from '#lab/step';
import { CAPABILITIES, type Capability, type Strategy } from '#lab/strategy';
import { CELLS, existsFor, HOST_DOWN, testedBy, type Cell } from './cells';
import { isNotApplicable } from './cell-text';
import { unknownText } from './cell-verdict';
import { breachesAmong, breachesOf, isExplainedBy } from './expectation';
import { exploreCell, type MatrixCell } from './matrix';
import { probe, type Probe } from './probe';
import { withTimeLimit, type Limits, type Explorer } from '../search';
import type { World } from '../world';
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

const ALL_PROMISES = Object.keys(CAPABILITIES) as Capability[];

/** The circumstances that break most locks. */
const BREAKS_MOST = ['two processes', 'same process', 'pause', 'slow work', 'flush', 'lapse at release'];

const rank = ({ name }: Cell): number => (BREAKS_MOST.indexOf(name) + 1 || BREAKS_MOST.length + 1) - 1;

/**
 * The circumstances that test these promises, or any, those that break most locks first. `further`: those that test no promise as
 * well.
 */
export const verifiedCells = (
  strategy: Strategy,
  promises?: readonly Capability[],
  further = false,
): readonly Cell[] =>
  CELLS.filter(
    (cell) => existsFor(strategy, cell) && (testsNone(cell) ? further : testsAny(cell, promises)),
  ).toSorted((a, b) => rank(a) - rank(b));

const testsNone = (cell: Cell): boolean => testedBy(cell).length === 0;

/** Schedules of each circumstance that tests no promise: the time is for the promises. */
const MAX_FURTHER = 300;

const tests = (cell: Cell, capability: Capability): boolean => testedBy(cell).includes(capability);

/** It tests one of these promises, or of all. */
const testsAny = (cell: Cell, promises: readonly Capability[] = ALL_PROMISES): boolean =>
  promises.some((capability) => tests(cell, capability));

/** Not even a plain schedule, or a request that is alone, can be run. The message says why. */
export class NotExplorable extends Error {
  readonly code = 'VERIFY.NOT_EXPLORABLE';

  constructor(message: string) {
    super(message);
    this.name = 'NotExplorable';
  }
}

/** What the explorations of a strategy have found. */
export interface Verified {
  readonly probe: Probe;
  readonly cells: readonly VerifiedCell[];
}

interface Verifying extends Pick<Limits, 'onProgress' | 'max'> {
  readonly signal: AbortSignal;
  /** Schedules after which a circumstance ends that has shown a breach of each promise that it tests; absent: it runs all. */
  readonly enough?: number;
  /** Explore only the circumstances that test these promises; absent: all. */
  readonly promises?: readonly Capability[];
  /** Explore the circumstances that test no promise as well, a part of their schedules: see `unexplained`. */
  readonly further?: boolean;
  /** Names of circumstances that are not explored. */
  readonly leftOut?: readonly string[];
  /** A circumstance ends when its schedules have broken each of `promises` that it tests. */
  readonly stopAtBreach?: true;
  readonly onCell: (cell: VerifiedCell, left: number) => void;
}

/**
 * Explores the strategy in every circumstance that tests a promise, within `budgetMs` in all: what a circumstance does not
 * use is left to those after it. A circumstance that cannot be explored is reported, and does not end the others. When a
 * request sends commands that the explorer does not see, none of them is explored. Throws `NotExplorable`.
 */
export async function verify(
  pool: Explorer,
  strategy: Strategy,
  budgetMs: number,
  how: Verifying,
): Promise<Verified> {
  const until = performance.now() + budgetMs;
  const [first, ...others] = verifiedCells(strategy, how.promises, how.further).filter(
    ({ name }) => how.leftOut?.includes(name) !== true,
  );
  if (first === undefined) throw new NotExplorable('no circumstance tests this strategy');
  const leftFor = (circumstances: number): number => Math.max(0, until - performance.now()) / circumstances;
  const plain = await exploreWithin(pool, strategy, first, leftFor(others.length + 1), how);
  if (plain.failure !== undefined) throw new NotExplorable(plain.failure); // in a worker, which can be ended if it never returns
  const alone = await probeAlone(pool.world, strategy);
  if (alone.unseen.length > 0)
    return {
      probe: alone,
      cells: [first, ...others].map((cell) => ({ cell, failure: 'commands that the explorer does not see' })),
    };
  if (alone.code !== 'APPLIED')
    throw new NotExplorable(`a request that is alone sells nothing: ${alone.code}: ${whyNotAlone(alone)}`);
  const [command] = alone.withoutLock;
  if (command !== undefined)
    throw new NotExplorable(
      `the name of the resource, which acquire receives, is in no key of Redis that is left, and in no primary or unique key of a row that it writes, so that its lock is not seen: ${command}`,
    );
  const cells = [plain];
  const pending = [...others];
  if (alone.requestsNamedLock && testsAny(HOST_DOWN, how.promises)) pending.push(HOST_DOWN);
  how.onCell(plain, pending.length);
  for (let next = takeNext(pending, cells, how); next !== undefined; next = takeNext(pending, cells, how)) {
    const { cell, ...limits } = next;
    const verified = await exploreWithin(pool, strategy, cell, leftFor(pending.length + 1), {
      ...how,
      ...limits,
    });
    cells.push(verified);
    how.onCell(verified, pending.length);
  }
  return { probe: alone, cells };
}

const whyNotAlone = ({ code, text }: Probe): string =>
  code === 'LOCK.NOT_OBTAINED'
    ? 'acquire returned no handle, although no other request runs and no lock is left'
    : text;

/** Probes in a row that must show something unseen: more than another program opens connections for in one go. */
const PROBES = 25;

/**
 * Probes until nothing is unseen: a pool reopens a connection once that an earlier schedule ended, and the servers count what
 * other programs send as well. Unseen commands of the strategy itself occur in every probe.
 */
async function probeAlone(world: World, strategy: Strategy): Promise<Probe> {
  let alone = await probe(world, strategy);
  for (let n = 1; n < PROBES && alone.unseen.length > 0; n++) alone = await probe(world, strategy);
  return alone;
}

/**
 * Takes the next circumstance, and the maximum of its schedules. With `enough`, those come first of which every promise is known to
 * be broken: they end after `enough` schedules, and leave their time to the promises that are open.
 */
function takeNext(
  pending: Cell[],
  cells: readonly VerifiedCell[],
  { signal, enough, max = Infinity }: Verifying,
): ({ readonly cell: Cell } & Pick<Limits, 'max'>) | undefined {
  if (signal.aborted) return undefined;
  const broken = reportCard(cells).filter(({ state }) => state === 'broken');
  const isDecided = (cell: Cell): boolean =>
    !testsNone(cell) &&
    testedBy(cell).every((promise) => broken.some(({ capability }) => capability === promise));
  const decided = enough === undefined ? -1 : pending.findIndex(isDecided);
  const [cell] = pending.splice(Math.max(0, decided), 1);
  if (cell === undefined) return undefined;
  if (testsNone(cell)) return { cell, max: Math.min(max, MAX_FURTHER) };
  return { cell, ...(decided >= 0 && enough !== undefined && { max: enough }) };
}

async function exploreWithin(
  pool: Explorer,
  strategy: Strategy,
  cell: Cell,
  ms: number,
  { signal, onProgress, enough, max, promises = [], stopAtBreach }: Verifying,
): Promise<VerifiedCell> {
  const limits = {
    signal: withTimeLimit(signal, ms),
    wanted: [
      ...testedBy(cell).map((one) => (kind: ScheduleViolationKind) => breachesOf(one).includes(kind)),
      (kind: ScheduleViolationKind) => !isExplainedBy(testedBy(cell), kind, cell),
    ],
    ...(onProgress !== undefined && { onProgress }),
    ...(max !== undefined && { max }),
    ...(enough !== undefined && !testsNone(cell) && { enough, lookFor: testedBy(cell).map(breachesOf) }),
    ...(stopAtBreach === true && {
      enough: 1,
      lookFor: promises.filter((capability) => tests(cell, capability)).map(breachesOf),
    }),
  };
  try {
    return { cell, explored: await exploreCell(pool, strategy, cell, limits) };
  } catch (error) {
    return { cell, failure: messageOf(error) };
  }
}

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
    const own = cells.filter(({ cell }) => tests(cell, capability));
    if (own.length === 0) return [];
    const result = resultOf(capability, own);
    const isVacuous = !lockHasOwner && OF_OWNERS.includes(capability) && result.state === 'kept';
    return [isVacuous ? { ...result, state: 'unknown', because: NO_OWNER } : result];
  });
}

function resultOf(capability: Capability, cells: readonly VerifiedCell[]): PromiseResult {
  const explored = cells.flatMap((one) => one.explored ?? []);
  const breaking = (one: MatrixCell): number =>
    Math.max(unsoldIn(one, capability), ...breachesIn(one, capability).map((kind) => one.kinds[kind] ?? 0));
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

/** Schedules of a circumstance in which none of the buyers gets the unit that one of them must get. */
const unsoldIn = ({ unsold = 0 }: MatrixCell, capability: Capability): number =>
  capability === 'exactInOneProcess' || capability === 'exactAcrossProcesses' ? unsold : 0;

/** The kinds of violation in an explored circumstance that break the promise. */
const breachesIn = ({ kinds }: MatrixCell, capability: Capability): readonly ScheduleViolationKind[] =>
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
