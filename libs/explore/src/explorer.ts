import { ROOT, execute, type Plan, type Task } from './execution';
import { count, emptyTally, type Tally } from './tally';
import type { World } from './world';

export interface Limits {
  /** Schedules at most. */
  readonly max?: number;
  /** Schedules after which a search that has found a violation ends; absent: it goes on to the end. */
  readonly enough?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (tally: Tally) => void;
}

/** Runs every schedule of a plan, depth first, on one world. */
export async function explore(world: World, plan: Plan, limits: Limits = {}): Promise<Tally> {
  const tally = emptyTally();
  const stack: Task[] = [ROOT];
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
  const most = tally.violating > 0 ? Math.min(max, enough) : max;
  return signal?.aborted === true || tally.schedules + underway >= most;
}

/** Takes the last task of the stack, runs its first schedule and puts back what branches off. */
export async function exploreOne(world: World, plan: Plan, stack: Task[], tally: Tally): Promise<void> {
  const task = stack.pop();
  if (task === undefined) return;
  const execution = await execute(world, plan, task);
  stack.push(...execution.branches.toReversed());
  count(tally, execution);
}
