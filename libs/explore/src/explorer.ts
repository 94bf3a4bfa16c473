import { ROOT, execute, type Plan, type Task } from './execution';
import { count, emptyTally, type Tally } from './tally';
import type { World } from './world';

export interface Limits {
  /** Schedules at most. */
  readonly max?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (tally: Tally) => void;
}

/** Runs every schedule of a plan, depth first, on one world. */
export async function explore(
  world: World,
  plan: Plan,
  { max = Infinity, signal, onProgress }: Limits = {},
): Promise<Tally> {
  const tally = emptyTally();
  const stack: Task[] = [ROOT];
  while (stack.length > 0) {
    if (signal?.aborted === true || tally.schedules >= max) {
      tally.partial = true;
      break;
    }
    await exploreOne(world, plan, stack, tally);
    onProgress?.(tally);
  }
  return tally;
}

/** Takes the last task of the stack, runs its first schedule and puts back what branches off. */
export async function exploreOne(world: World, plan: Plan, stack: Task[], tally: Tally): Promise<void> {
  const task = stack.pop();
  if (task === undefined) return;
  const execution = await execute(world, plan, task);
  stack.push(...execution.branches.toReversed());
  count(tally, execution);
}
