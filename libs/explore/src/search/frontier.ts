import type { Execution, Plan, Subtree } from './execution';
import { KnownStates } from './known-states';
import { ScheduleTree } from './schedule-tree';

/** Number of subtrees that are taken depth-first, before the search samples the tree. */
const DEPTH_FIRST = 100;
/** Number of open subtrees above which the search is depth-first: each sampled subtree leaves more of them open. */
const MAX_OPEN_SUBTREES = 5000;

/** A subtree to run, or to skip. */
export interface Taken {
  readonly subtree: Subtree;
  /** Its only schedule is known to be redundant: it need not be run. */
  readonly isRedundant: boolean;
}

/** The open subtrees of a search. */
export class Frontier {
  private readonly stack: Subtree[];
  private readonly known: KnownStates;
  private readonly tree: ScheduleTree;
  private taken = 0;

  constructor(plan: Plan, root: Subtree) {
    this.stack = [root];
    this.known = new KnownStates(plan, root.isGroupwise);
    this.tree = new ScheduleTree(plan);
  }

  get size(): number {
    return this.stack.length;
  }

  /** Takes at most `most` subtrees, 1 or more. */
  take(most: number): readonly Taken[] {
    const batch: Taken[] = [];
    for (let subtree = this.next(); subtree !== undefined; subtree = this.next()) {
      this.taken++;
      batch.push({ subtree, isRedundant: this.tree.isRedundant(subtree) });
      if (batch.length === most) break;
    }
    return batch;
  }

  /** Adds the subtrees that branch off an execution. Returns the share of the tree that is left out, because it is known. */
  add({ choices, nodes, path }: Pick<Execution, 'choices' | 'nodes' | 'path'>): number {
    if (path !== undefined) this.tree.add(choices, path);
    const { subtrees, leftOut } = this.known.open({ choices, nodes });
    this.stack.push(...subtrees.toReversed());
    return leftOut;
  }

  /** Subtrees that were taken, but not run. */
  putBack(subtrees: readonly Subtree[]): void {
    this.stack.push(...subtrees);
  }

  /**
   * A depth-first search of a large tree stays in one corner for long: after a while subtrees are taken from anywhere in
   * the stack, in a deterministic order.
   */
  private next(): Subtree | undefined {
    const { stack, taken } = this;
    if (taken < DEPTH_FIRST || stack.length > MAX_OPEN_SUBTREES) return stack.pop();
    return stack.splice((Math.imul(taken, 0x9e3779b1) >>> 0) % stack.length, 1)[0];
  }
}
