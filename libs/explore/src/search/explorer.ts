import { NotInSchedules } from '#lab/step';
import type { FaultName } from '#lab/strategy';
import type { ScheduleViolationKind } from '#lab/verdict';
import { execute, rootOf, type Execution, type Plan, type Subtree } from './execution';
import { Frontier, type Taken } from './frontier';
import { groupsOf } from './groups';
import { count, emptyTally, merge, type Tally } from './tally';
import { UnobservedCommand, type Whereabouts, type World } from '../world';

export interface Limits {
  /** Maximum number of schedules. */
  readonly max?: number;
  /** Number of schedules after which a search that has found what it looks for stops; absent: it runs every schedule. */
  readonly enough?: number;
  /**
   * What a search with `enough` looks for: a violation of one of the kinds of each group, for example of each promise. Absent:
   * wrong data.
   */
  readonly lookFor?: readonly (readonly ScheduleViolationKind[])[];
  /** A search with `enough` runs further schedules until this fault has occurred in one of them. */
  readonly mustFire?: FaultName;
  readonly signal?: AbortSignal;
  /** Asked before each batch: true pauses the search, which goes on with the next `run`. */
  readonly pauses?: () => boolean;
  /** An actor's code keeps its thread busy: an endless loop, or a very slow machine. */
  readonly onStuck?: (where: Whereabouts) => void;
  /** Called with every schedule that was run, in an order that does not depend on the number of workers. */
  readonly onSchedule?: (prefix: Subtree['prefix'], schedule: Counted) => void;
  /** Called after every schedule, or batch of schedules; `open`: subtrees that wait. */
  readonly onProgress?: (tally: Tally, open: number) => void;
}

/** An execution as a search needs it: what it showed is counted. Plain data: workers send it as a message. */
export interface Counted extends Pick<Execution, 'choices' | 'nodes' | 'path'>, Shown {
  readonly tally: Tally;
}

/** Runs the first schedule of each subtree, in any order. Undefined: not run, because the search was aborted. */
export type RunBatch = (subtrees: readonly Subtree[]) => Promise<readonly (Counted | undefined)[]>;

/** Subtrees that are chosen at a time. The same for any number of workers, and so is the search. */
const BATCH = 16;

/**
 * Batches that run at a time: while the results of one are added, the workers run the next one. One in the depth-first part of
 * a search, which finds violations early.
 */
const BATCHES = 2;

/** A batch that runs. */
interface Running {
  readonly batch: readonly Taken[];
  readonly done: Promise<readonly (Counted | undefined)[]>;
}

/**
 * A search of the schedules of a plan. The result does not depend on the order in which a batch is run, nor on pauses. Where a step
 * stands for several statements, what happens between them is not explored: a violation is one all the same, and without one nothing
 * is decided.
 *
 * So it is with a command over a client that is not observed; such a search ends early.
 */
export class Search {
  private readonly found = new Found();
  private attempt: Attempt;

  constructor(private readonly plan: Plan) {
    this.attempt = new Attempt(plan, startOf(plan));
  }

  /**
   * Begins, or goes on after a pause, until every schedule was run, or to the limits. The tally is that of all schedules so far.
   *
   * @throws NotInSchedules or UnobservedCommand
   */
  async run(runBatch: RunBatch, limits: Limits): Promise<Tally> {
    for (;;) {
      const again = await this.attempt.run(runBatch, limits, this.found);
      if (again === undefined) return this.tallyOf();
      this.attempt = new Attempt(this.plan, again);
    }
  }

  private tallyOf(): Tally {
    const tally = emptyTally();
    merge(tally, this.attempt.tally);
    tally.partial = this.attempt.isOpen;
    this.found.addMissingTo(tally);
    const { several, unobserved, violating } = tally;
    if (violating === 0 && unobserved !== undefined) throw new UnobservedCommand(unobserved);
    if (several === undefined && unobserved === undefined) return tally;
    if (violating === 0 && several !== undefined)
      throw new NotInSchedules(
        several,
        'is one step, and no schedule of these steps violates anything: what other actors do between its statements cannot be explored. Send each statement by itself',
      );
    return { ...tally, partial: true };
  }
}

/** The first schedule that showed each kind of violation, also before the search began again: it was run, so that it counts. */
class Found {
  private readonly schedules = new Map<ScheduleViolationKind, Tally>();
  private unobserved: string | undefined;

  /** `schedule`: the tally of one schedule. */
  note(schedule: Tally): void {
    this.unobserved ??= schedule.unobserved;
    for (const kind of schedule.kinds.keys())
      if (!this.schedules.has(kind)) this.schedules.set(kind, { ...schedule, searched: 0 });
  }

  /** A search that ended at its limit may not have come to them again. */
  addMissingTo(tally: Tally): void {
    tally.unobserved ??= this.unobserved;
    for (const [kind, schedule] of this.schedules) if (!tally.kinds.has(kind)) merge(tally, schedule);
  }
}

/** How a search begins: with what it assumes until one of its runs refutes it. */
interface Start {
  readonly root: Subtree;
  /** What actors do next can be predicted from what they did in other schedules. */
  readonly predicts: boolean;
}

const startOf = (plan: Plan): Start => ({ root: rootOf(hasGroups(plan)), predicts: true });

/** Its actors are in several groups, and may take their steps one group after the other. */
const hasGroups = ({ setup, reduce }: Plan): boolean => reduce && groupsOf(setup).length > 1;

/** What an execution shows about the assumptions of its search. */
type Shown = Pick<Execution, 'showsDependentGroups' | 'showsReadClock'>;

/** The start of the search that begins again, without what these executions refute. Undefined: they refute nothing. */
function startAgain(
  { root: { isGroupwise, readsClock }, predicts }: Start,
  shown: readonly (Shown | undefined)[],
): Start | undefined {
  const areGroupsDependent = shown.some((one) => one?.showsDependentGroups === true);
  const isClockRead = shown.some((one) => one?.showsReadClock === true);
  if (!areGroupsDependent && !isClockRead) return undefined;
  return { root: rootOf(isGroupwise && !areGroupsDependent, readsClock || isClockRead), predicts };
}

/** A search from one start: it ends early when a run refutes what the start assumes. */
class Attempt {
  readonly tally = emptyTally();
  private readonly frontier: Frontier;
  private readonly running: Running[] = [];

  constructor(
    plan: Plan,
    private readonly start: Start,
  ) {
    this.frontier = new Frontier(plan, start.root, start);
  }

  /** Not every schedule was run. */
  get isOpen(): boolean {
    return this.frontier.size > 0 || this.running.length > 0;
  }

  /** Returns the start of the search that begins again, if there is one. */
  async run(runBatch: RunBatch, limits: Limits, found: Found): Promise<Start | undefined> {
    const { tally, frontier, running } = this;
    try {
      while (limits.pauses?.() !== true) {
        const inFlight = running.flatMap(({ batch }) => batch).length;
        const most = Math.min(BATCH, stillAllowed(tally, limits) - inFlight);
        const mayStart = running.length < (frontier.isDepthFirst ? 1 : BATCHES);
        const batch = mayStart && most > 0 ? frontier.take(most, { isLast: inFlight === 0 }) : [];
        if (batch.length > 0) {
          running.push(run(batch, runBatch));
          continue;
        }
        const [first] = running;
        if (first === undefined) return undefined;
        const done = await first.done;
        running.shift();
        for (const counted of done) if (counted !== undefined) found.note(counted.tally);
        const again = startAgain(this.start, done);
        if (again !== undefined) return again;
        this.add(first.batch, done, limits);
        if (frontier.isContradicted) return { ...this.start, predicts: false };
        frontier.putBack(first.batch.filter((_, i) => done[i] === undefined));
        limits.onProgress?.(tally, frontier.size);
      }
      return undefined;
    } finally {
      // the threads must be idle before another search; what they ran is added after the pause, as without one
      await Promise.allSettled(running.map(({ done }) => done));
    }
  }

  /** Adds what a batch has shown to the tally, and its subtrees to the frontier. */
  private add(
    batch: readonly Taken[],
    done: readonly (Counted | undefined)[],
    { onSchedule }: Pick<Limits, 'onSchedule'>,
  ): void {
    for (const [i, taken] of [...batch.entries()].toReversed()) {
      const counted = done[i];
      if (counted === undefined) continue;
      merge(this.tally, counted.tally);
      this.tally.searched += this.frontier.add(taken, counted);
      onSchedule?.(taken.subtree.prefix, counted);
    }
  }
}

function run(batch: readonly Taken[], runBatch: RunBatch): Running {
  const done = runOrSkip(batch, runBatch);
  done.catch(() => undefined); // it may fail while an earlier batch is awaited
  return { batch, done };
}

/** Runs the subtrees of a batch, except those that are redundant: they are only counted. */
async function runOrSkip(
  batch: readonly Taken[],
  runBatch: RunBatch,
): Promise<readonly (Counted | undefined)[]> {
  const toRun = batch.filter(({ isRedundant }) => !isRedundant).map(({ subtree }) => subtree);
  const ran = (await runBatch(toRun)).values();
  return batch.map(({ subtree, isRedundant }) => (isRedundant ? skipped(subtree) : ran.next().value));
}

function skipped({ prefix, share }: Subtree): Counted {
  const tally = emptyTally();
  count(tally, { choices: prefix, result: undefined, unobserved: undefined, share });
  return {
    choices: prefix,
    nodes: [],
    path: undefined,
    showsDependentGroups: false,
    showsReadClock: false,
    tally,
  };
}

/** Schedules of a search in which a command was not observed: it proves nothing, and may still find a violation. */
const MAX_UNOBSERVED = 50;

/** The number of schedules that may still be run. */
function stillAllowed(
  tally: Tally,
  { max = Infinity, enough = Infinity, lookFor, mustFire, signal }: Limits,
): number {
  if (signal?.aborted === true) return 0;
  const hasFoundAll =
    lookFor?.every((kinds) => kinds.some((kind) => tally.kinds.has(kind))) ?? tally.harms['data-wrong'] > 0;
  const hasFired = mustFire === undefined || tally.fired.has(mustFire);
  const most = tally.unobserved === undefined ? max : Math.min(max, MAX_UNOBSERVED);
  return (hasFoundAll && hasFired ? Math.min(most, enough) : most) - tally.schedules;
}

/** Searches the schedules of a plan on one world. */
export const explore = (world: World, plan: Plan, limits: Limits = {}): Promise<Tally> =>
  new Search(plan).run(inTurnOn(world, plan, limits), limits);

/** Runs batches on one world. */
export function inTurnOn(world: World, plan: Plan, limits: Pick<Limits, 'signal'>): RunBatch {
  const run = async (subtrees: readonly Subtree[]): Promise<(Counted | undefined)[]> => {
    const done: (Counted | undefined)[] = [];
    for (const subtree of subtrees)
      done.push(limits.signal?.aborted === true ? undefined : await runAndCount(world, plan, subtree));
    return done;
  };
  let last: Promise<unknown> = Promise.resolve();
  return (subtrees) => {
    const done = last.then(() => run(subtrees)); // the world runs one schedule at a time
    last = done;
    return done;
  };
}

/** Runs the first schedule of a subtree. */
export async function runAndCount(world: World, plan: Plan, subtree: Subtree): Promise<Counted> {
  const execution = await execute(world, plan, subtree);
  const tally = emptyTally();
  count(tally, execution);
  const { choices, nodes, path, showsDependentGroups, showsReadClock } = execution;
  return { choices, nodes, path, showsDependentGroups, showsReadClock, tally };
}

/**
 * Every execution of a search without limits, one after the other. `onRestart`: the search begins again, and those before do not
 * count.
 */
export async function* executions(
  world: World,
  plan: Plan,
  onRestart: () => void = () => undefined,
): AsyncGenerator<Execution> {
  let start: Start | undefined = startOf(plan);
  for (;;) {
    start = yield* executionsFrom(start, world, plan);
    if (start === undefined) return;
    onRestart();
  }
}

/** Returns the start of the search that begins again, if there is one. */
async function* executionsFrom(
  from: Start,
  world: World,
  plan: Plan,
): AsyncGenerator<Execution, Start | undefined> {
  const frontier = new Frontier(plan, from.root, from);
  while (frontier.size > 0)
    for (const taken of frontier.take(1)) {
      if (taken.isRedundant) continue;
      const execution = await execute(world, plan, taken.subtree);
      const again = startAgain(from, [execution]);
      if (again !== undefined) return again;
      frontier.add(taken, execution);
      if (frontier.isContradicted) return { ...from, predicts: false };
      yield execution;
    }
  return undefined;
}
