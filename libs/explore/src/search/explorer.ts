import type { ScheduleViolationKind } from '#lab/verdict';
import { ROOT, execute, type Execution, type Plan, type Subtree } from './execution';
import { KnownStates } from './known-states';
import { count, emptyTally, merge, type Tally } from './tally';
import type { Whereabouts, World } from '../world';

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
  readonly signal?: AbortSignal;
  /** An actor's code keeps its thread busy: an endless loop, or a very slow machine. */
  readonly onStuck?: (where: Whereabouts) => void;
  /** Called after every schedule, or batch of schedules; `open`: subtrees that wait. */
  readonly onProgress?: (tally: Tally, open: number) => void;
}

/** An execution as a search needs it: what it showed is counted. Plain data: workers send it as a message. */
export interface Counted extends Pick<Execution, 'choices' | 'nodes'> {
  readonly tally: Tally;
}

/** Runs the first schedule of each subtree, in any order. Undefined: not run, because the search was aborted. */
export type RunBatch = (subtrees: readonly Subtree[]) => Promise<readonly (Counted | undefined)[]>;

/** Subtrees that are run before the next ones are chosen. The same for any number of workers, and so is the search. */
const BATCH = 16;

/** Searches the schedules of a plan. The result does not depend on the order in which a batch is run. */
export async function search(plan: Plan, runBatch: RunBatch, limits: Limits): Promise<Tally> {
  const tally = emptyTally();
  const stack: Subtree[] = [ROOT];
  const known = new KnownStates(plan);
  let taken = 0;
  while (stack.length > 0) {
    const most = Math.min(BATCH, stillAllowed(tally, limits));
    if (most <= 0) break;
    const batch: Subtree[] = [];
    while (batch.length < most) {
      const subtree = takeSubtree(stack, taken);
      if (subtree === undefined) break;
      batch.push(subtree);
      taken++;
    }
    const done = await runOrSkip(batch, runBatch);
    const notRun = batch.filter((_, i) => done[i] === undefined);
    for (const counted of done.toReversed()) {
      if (counted === undefined) continue;
      merge(tally, counted.tally);
      const { subtrees, leftOut } = known.open(counted);
      tally.searched += leftOut;
      stack.push(...subtrees.toReversed());
    }
    stack.push(...notRun);
    limits.onProgress?.(tally, stack.length);
  }
  tally.partial = stack.length > 0;
  return tally;
}

/** Runs the subtrees of a batch, except those that are known to be redundant: they are only counted. */
async function runOrSkip(
  batch: readonly Subtree[],
  runBatch: RunBatch,
): Promise<readonly (Counted | undefined)[]> {
  const ran = (await runBatch(batch.filter(({ isRedundant }) => !isRedundant))).values();
  return batch.map((subtree) => (subtree.isRedundant ? skipped(subtree) : ran.next().value));
}

function skipped({ prefix, share }: Subtree): Counted {
  const tally = emptyTally();
  count(tally, { choices: prefix, result: undefined, nodes: [], share });
  return { choices: prefix, nodes: [], tally };
}

/** The number of schedules that may still be run. */
function stillAllowed(tally: Tally, { max = Infinity, enough = Infinity, lookFor, signal }: Limits): number {
  if (signal?.aborted === true) return 0;
  const hasFoundAll =
    lookFor?.every((kinds) => kinds.some((kind) => tally.kinds.has(kind))) ?? tally.harms['data-wrong'] > 0;
  return (hasFoundAll ? Math.min(max, enough) : max) - tally.schedules;
}

/** Searches the schedules of a plan on one world. */
export const explore = (world: World, plan: Plan, limits: Limits = {}): Promise<Tally> =>
  search(
    plan,
    async (subtrees) => {
      const done: (Counted | undefined)[] = [];
      for (const subtree of subtrees)
        done.push(limits.signal?.aborted === true ? undefined : await runAndCount(world, plan, subtree));
      return done;
    },
    limits,
  );

/** Runs the first schedule of a subtree. */
export async function runAndCount(world: World, plan: Plan, subtree: Subtree): Promise<Counted> {
  const execution = await execute(world, plan, subtree);
  const tally = emptyTally();
  count(tally, execution);
  return { choices: execution.choices, nodes: execution.nodes, tally };
}

/** Every execution of a search without limits, one after the other. */
export async function* executions(world: World, plan: Plan): AsyncGenerator<Execution> {
  const stack: Subtree[] = [ROOT];
  const known = new KnownStates(plan);
  for (let subtree = stack.pop(); subtree !== undefined; subtree = stack.pop()) {
    if (subtree.isRedundant) continue;
    const execution = await execute(world, plan, subtree);
    stack.push(...known.open(execution).subtrees.toReversed());
    yield execution;
  }
}

/** Number of subtrees that are taken depth-first, before the search samples the tree. */
const DEPTH_FIRST = 100;
/** Number of open subtrees above which the search is depth-first: each sampled subtree leaves more of them open. */
const MAX_OPEN_SUBTREES = 5000;

/**
 * Takes the next subtree. A depth-first search of a large tree stays in one corner for long: after a while subtrees are
 * taken from anywhere in the stack, in a deterministic order. `n`: subtrees taken so far.
 */
function takeSubtree(stack: Subtree[], n: number): Subtree | undefined {
  if (n < DEPTH_FIRST || stack.length > MAX_OPEN_SUBTREES) return stack.pop();
  return stack.splice((Math.imul(n, 0x9e3779b1) >>> 0) % stack.length, 1)[0];
}
