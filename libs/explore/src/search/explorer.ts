import { ROOT, execute, type Execution, type Plan, type Subtree } from './execution';
import { count, emptyTally, type Tally } from './tally';
import type { Whereabouts, World } from '../world';

export interface Limits {
  /** Maximum number of schedules. */
  readonly max?: number;
  /** Number of schedules after which a search that has found wrong data stops; absent: it runs every schedule. */
  readonly enough?: number;
  readonly signal?: AbortSignal;
  /** An actor's code keeps its thread busy: an endless loop, or a very slow machine. */
  readonly onStuck?: (where: Whereabouts) => void;
  /** Called after every schedule, or slice of schedules; `open`: subtrees that wait. */
  readonly onProgress?: (tally: Tally, open: number) => void;
}

/** Runs every schedule of a plan depth-first on one world. */
export async function explore(world: World, plan: Plan, limits: Limits = {}): Promise<Tally> {
  const tally = emptyTally();
  const stack: Subtree[] = [ROOT];
  while (stack.length > 0) {
    if (isOver(tally, limits)) {
      tally.partial = true;
      break;
    }
    await exploreOne(world, plan, stack, tally);
    limits.onProgress?.(tally, stack.length);
  }
  return tally;
}

/** Every execution of a plan, depth-first. */
export async function* executions(world: World, plan: Plan): AsyncGenerator<Execution> {
  const stack: Subtree[] = [ROOT];
  for (let subtree = stack.pop(); subtree !== undefined; subtree = stack.pop()) {
    const execution = await execute(world, plan, subtree);
    stack.push(...execution.branches);
    yield execution;
  }
}

/** True when no further schedule may start; `underway` are running in other workers. */
export function isOver(
  tally: Tally,
  { max = Infinity, enough = Infinity, signal }: Limits,
  underway = 0,
): boolean {
  const most = tally.harms['data-wrong'] > 0 ? Math.min(max, enough) : max;
  return signal?.aborted === true || tally.schedules + underway >= most;
}

/** Number of schedules after which the search also samples other parts of the tree. */
const DEPTH_FIRST = 100;
/**
 * Number of open subtrees above which the search is depth-first only: each sampled subtree leaves more of them open.
 */
const MAX_OPEN_SUBTREES = 5000;

/**
 * Takes the next subtree. A depth-first search of a large tree stays in one corner for long: after a while every
 * second subtree is taken from anywhere in the stack, in a deterministic order.
 */
export function takeSubtree(stack: Subtree[], { schedules, redundant }: Tally): Subtree | undefined {
  const n = schedules + redundant;
  if (n < DEPTH_FIRST || n % 2 === 0 || stack.length > MAX_OPEN_SUBTREES) return stack.pop();
  return stack.splice((Math.imul(n, 0x9e3779b1) >>> 0) % stack.length, 1)[0];
}

/** Takes a subtree from the stack, runs its first schedule and pushes the branches. */
export async function exploreOne(world: World, plan: Plan, stack: Subtree[], tally: Tally): Promise<void> {
  const subtree = takeSubtree(stack, tally);
  if (subtree === undefined) return;
  const execution = await execute(world, plan, subtree);
  stack.push(...execution.branches.toReversed());
  count(tally, execution);
}
