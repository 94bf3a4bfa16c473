import { ROOT, execute, type Plan, type Subtree } from './execution';
import { count, emptyTally, type Tally } from './tally';
import type { World } from '../world';

export interface Limits {
  /** Schedules at most. */
  readonly max?: number;
  /** Schedules after which a search that has found wrong data ends; absent: it runs every schedule. */
  readonly enough?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (tally: Tally) => void;
}

/** Runs every schedule of a plan, depth first, on one world. */
export async function explore(world: World, plan: Plan, limits: Limits = {}): Promise<Tally> {
  const tally = emptyTally();
  const stack: Subtree[] = [ROOT];
  while (stack.length > 0) {
    if (isOver(tally, limits)) {
      tally.partial = true;
      break;
    }
    await exploreOne(world, plan, stack, tally);
    limits.onProgress?.(tally);
  }
  return tally;
}

/** True when no further schedule is wanted; `underway` are being run by others. */
export function isOver(
  tally: Tally,
  { max = Infinity, enough = Infinity, signal }: Limits,
  underway = 0,
): boolean {
  const most = tally.harms['data-wrong'] > 0 ? Math.min(max, enough) : max;
  return signal?.aborted === true || tally.schedules + underway >= most;
}

/** Schedules that are searched depth first before the search also looks elsewhere. */
const DEPTH_FIRST = 100;
/** Open tasks above which it stays depth first: each one that is taken elsewhere leaves more of them open. */
const MOST_OPEN = 5000;

/**
 * Takes the next task. Depth first finds what lies near, and stays for long in one corner of a large tree: after a while
 * every second task comes from anywhere in it, in an order that is the same each time.
 */
export function takeSubtree(stack: Subtree[], { schedules, redundant }: Tally): Subtree | undefined {
  const n = schedules + redundant;
  if (n < DEPTH_FIRST || n % 2 === 0 || stack.length > MOST_OPEN) return stack.pop();
  return stack.splice((Math.imul(n, 0x9e3779b1) >>> 0) % stack.length, 1)[0];
}

/** Takes a task of the stack, runs its first schedule and puts back what branches off. */
export async function exploreOne(world: World, plan: Plan, stack: Subtree[], tally: Tally): Promise<void> {
  const subtree = takeSubtree(stack, tally);
  if (subtree === undefined) return;
  const execution = await execute(world, plan, subtree);
  stack.push(...execution.branches.toReversed());
  count(tally, execution);
}
