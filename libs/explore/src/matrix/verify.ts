import { messageOf } from '#lab/step';
import type { Capability, Strategy } from '#lab/strategy';
import type { ScheduleViolationKind } from '#lab/verdict';
import { CELLS, existsFor, HOST_DOWN, testedBy, testsAny, testsNone, type Cell } from './cells';
import { breachesOf, isExplainedBy } from './expectation';
import { CellSearch } from './matrix';
import { probe, type Probe } from './probe';
import { ALL_PROMISES, schedulesThatBreak, type VerifiedCell } from './report-card';
import { SearchInTurns, turns, type Sharing } from './share-time';
import { withTimeLimit, type Explorer, type Limits } from '../search';
import type { World } from '../world';

/** The circumstances that break most locks. */
const BREAKS_MOST = ['two processes', 'same process', 'pause', 'slow work', 'flush', 'lapse at release'];

const rank = ({ name }: Cell): number => (BREAKS_MOST.indexOf(name) + 1 || BREAKS_MOST.length + 1) - 1;

/**
 * The circumstances that test these promises, or any, those that break most locks first. `further`: those that test no promise as
 * well.
 */
const verifiedCells = (
  strategy: Strategy,
  promises: readonly Capability[],
  further = false,
): readonly Cell[] =>
  CELLS.filter(
    (cell) => existsFor(strategy, cell) && (testsNone(cell) ? further : testsAny(cell, promises)),
  ).toSorted((a, b) => rank(a) - rank(b));

/** Schedules of each circumstance that tests no promise: the time is for the promises. */
const MAX_FURTHER = 300;

/** Share of the time that is for the searches. The rest is for the shortest schedules that they have found. */
const FOR_SEARCHES = 0.9;

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

/** How far the explorations are. */
export interface VerifyProgress {
  /** The circumstance that is explored. */
  readonly cell: Cell;
  /** Circumstances that have not ended. */
  readonly open: number;
  /** Schedules of all circumstances, and those of them with a violation. */
  readonly schedules: number;
  readonly violating: number;
}

interface Verifying extends Pick<Limits, 'max'> {
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
  readonly onProgress?: (progress: VerifyProgress) => void;
}

/**
 * Explores the strategy in every circumstance that tests a promise, within `budgetMs` in all: see `turns`. A circumstance that
 * cannot be explored is reported, and does not end the others. When a request sends commands that the explorer does not see, none of
 * them is explored. Throws `NotExplorable`.
 */
export async function verify(
  pool: Explorer,
  strategy: Strategy,
  budgetMs: number,
  how: Verifying,
): Promise<Verified> {
  const begun = performance.now();
  const msUntil = (share: number): number => Math.max(0, begun + share * budgetMs - performance.now());
  const { promises = ALL_PROMISES, leftOut = [], signal } = how;
  const cells = verifiedCells(strategy, promises, how.further).filter(({ name }) => !leftOut.includes(name));
  const all: Exploration[] = [];
  const limits = { ...how, promises, signal: withTimeLimit(signal, msUntil(FOR_SEARCHES)) };
  const explorationOf = (cell: Cell): Exploration => new Exploration(pool, strategy, cell, limits, all);
  all.push(...cells.map(explorationOf));
  const [plain] = all;
  if (plain === undefined) throw new NotExplorable('no circumstance tests this strategy');
  await plain.run(msUntil(FOR_SEARCHES) / all.length);
  if (plain.failure !== undefined) throw new NotExplorable(plain.failure); // in a worker, which can be ended if it never returns
  const alone = await probeAlone(pool.world, strategy);
  if (alone.unseen.length > 0)
    return {
      probe: alone,
      cells: cells.map((cell) => ({ cell, failure: 'commands that the explorer does not see' })),
    };
  refuseUnlessExplorable(alone);
  if (alone.requestsNamedLock && testsAny(HOST_DOWN, promises)) all.push(explorationOf(HOST_DOWN));
  for (const { search, ms } of turns(all, msUntil(FOR_SEARCHES), signal)) await search.run(ms);
  const verified: VerifiedCell[] = [];
  for (const [i, exploration] of all.entries())
    verified.push(await exploration.verified(withTimeLimit(signal, msUntil(1) / (all.length - i))));
  return { probe: alone, cells: verified };
}

function refuseUnlessExplorable(alone: Probe): void {
  if (alone.code !== 'APPLIED')
    throw new NotExplorable(`a request that is alone sells nothing: ${alone.code}: ${whyNotAlone(alone)}`);
  const [command] = alone.withoutLock;
  if (command !== undefined)
    throw new NotExplorable(
      `the name of the resource, which acquire receives, is in no key of Redis that is left, and in no primary or unique key of a row that it writes, so that its lock is not seen: ${command}`,
    );
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

/** The exploration of one circumstance, which shares the time with those of the others. */
class Exploration implements Sharing<Capability> {
  private readonly search: CellSearch;
  private readonly inTurns: SearchInTurns;

  /** `all`: those of all circumstances, also this one. */
  constructor(
    pool: Explorer,
    strategy: Strategy,
    readonly cell: Cell,
    private readonly how: Verifying & { readonly promises: readonly Capability[] },
    private readonly all: readonly Exploration[],
  ) {
    this.search = new CellSearch(pool, strategy, cell);
    this.inTurns = new SearchInTurns((limits) => this.search.run(limits));
  }

  /** Why it could not be explored. */
  get failure(): string | undefined {
    return this.inTurns.error?.message;
  }

  run(ms: number): Promise<void> {
    return this.inTurns.run(ms, this.limits());
  }

  readonly isOpen = (): boolean => this.inTurns.isOpen();

  /** The promises that it tests, and that no circumstance which tests them has broken. */
  readonly questions = (): readonly Capability[] =>
    this.tested.filter((promise) => !this.all.some((one) => one.breaks(promise)));

  readonly remainingMs = (): number => this.inTurns.remainingMs(this.max);

  /** What it has found, with the shortest schedules that can be found until `signal` is aborted. */
  async verified(signal: AbortSignal): Promise<VerifiedCell> {
    const { cell, search, failure } = this;
    if (failure !== undefined) return { cell, failure };
    const wanted = [
      ...testedBy(cell).map((one) => (kind: ScheduleViolationKind) => breachesOf(one).includes(kind)),
      (kind: ScheduleViolationKind) => !isExplainedBy(testedBy(cell), kind, cell),
    ];
    try {
      return { cell, explored: await search.result({ signal, wanted }) };
    } catch (error) {
      return { cell, failure: messageOf(error) };
    }
  }

  /** The promises that it is explored for. */
  private get tested(): readonly Capability[] {
    return testedBy(this.cell).filter((promise) => this.how.promises.includes(promise));
  }

  private breaks(promise: Capability): boolean {
    return this.tested.includes(promise) && schedulesThatBreak(promise, this.search.found) > 0;
  }

  /** With `enough`, one ends early when every promise that it tests is known to be broken: its time is for those that are open. */
  private get max(): number | undefined {
    const { max, enough } = this.how;
    if (testsNone(this.cell)) return Math.min(max ?? Infinity, MAX_FURTHER);
    return enough !== undefined && this.questions().length === 0 ? Math.min(max ?? Infinity, enough) : max;
  }

  private limits(): Limits {
    const { cell, all, max } = this;
    const { signal, enough, stopAtBreach, onProgress } = this.how;
    const rest = all.filter((one) => one !== this).map((one) => one.inTurns.tally);
    const sum = (key: 'schedules' | 'violating'): number => rest.reduce((total, one) => total + one[key], 0);
    const others = { schedules: sum('schedules'), violating: sum('violating') };
    return {
      signal,
      ...(max !== undefined && { max }),
      ...(enough !== undefined && !testsNone(cell) && { enough, lookFor: testedBy(cell).map(breachesOf) }),
      ...(stopAtBreach === true && { enough: 1, lookFor: this.tested.map(breachesOf) }),
      onProgress: ({ schedules, violating }) =>
        onProgress?.({
          cell,
          open: all.filter((one) => one.isOpen()).length,
          schedules: others.schedules + schedules,
          violating: others.violating + violating,
        }),
    };
  }
}
