import type { Execution, Plan, Subtree } from './execution';
import type { Beginning } from './happened-before';
import { KnownStates } from './known-states';
import { KnownSteps } from './known-steps';
import { hasOnlySteps, type Decision } from './path';
import { isRedundant } from './redundancy';

/** Number of subtrees that are taken depth-first, before the search samples the tree. */
const DEPTH_FIRST = 100;
/** Number of open subtrees above which the search is depth-first: each sampled subtree leaves more of them open. */
const MAX_OPEN_SUBTREES = 5000;

/** Number of subtrees that are taken before one that may be redundant: until then the search may come to know it. */
const PATIENCE = 300;

/** A subtree that waits. */
interface Open {
  readonly subtree: Subtree;
  /** The choices before the last one of its prefix. */
  readonly before: Beginning;
  /** The decision that the last choice of its prefix makes. Undefined: not recorded. */
  readonly decision: Decision | undefined;
  /** It is postponed until so many subtrees were taken. Absent: it is not. */
  readonly due?: number;
}

/** A subtree to run, or to skip. */
export interface Taken extends Open {
  /** Its only schedule is known to be redundant: it need not be run. */
  readonly isRedundant: boolean;
}

/** The open subtrees of a search. */
export class Frontier {
  private readonly stack: Open[];
  /** Subtrees that may be redundant, in the order of `due`. */
  private readonly postponed: Open[] = [];
  private readonly states: KnownStates;
  private readonly steps = new KnownSteps();
  private taken = 0;

  private readonly predicts: boolean;

  /** `predicts`: subtrees that are known to be redundant are not to be run. */
  constructor(
    private readonly plan: Plan,
    root: Subtree,
    { predicts = true }: { readonly predicts?: boolean } = {},
  ) {
    this.predicts = predicts;
    this.stack = [{ subtree: root, before: undefined, decision: undefined }];
    this.states = new KnownStates(plan, root);
  }

  get size(): number {
    return this.stack.length + this.postponed.length;
  }

  /** An actor did something that its other schedules had not predicted: redundant subtrees may have been others. */
  get isContradicted(): boolean {
    return this.steps.isContradicted;
  }

  /** Fewer than `DEPTH_FIRST` subtrees were taken: the next one is the one that was added last. */
  get isDepthFirst(): boolean {
    return this.taken < DEPTH_FIRST;
  }

  /**
   * Takes at most `most` subtrees. `isLast`: none that was taken before will add others, so that postponed ones are taken when
   * nothing else is open.
   */
  take(most: number, { isLast = true }: { readonly isLast?: boolean } = {}): readonly Taken[] {
    const batch: Taken[] = [];
    for (let open = this.next(isLast); open !== undefined; open = this.next(isLast)) {
      const isRedundant = this.isRedundant(open);
      if (isRedundant === undefined && this.mayPostpone(open)) {
        this.postponed.push({ ...open, due: this.taken + PATIENCE });
        continue;
      }
      this.taken++;
      batch.push({ ...open, isRedundant: isRedundant === true });
      if (batch.length === most) break;
    }
    return batch;
  }

  /** Each subtree once, and not in the first part of a search or with many subtrees. */
  private mayPostpone({ due }: Open): boolean {
    return due === undefined && !this.isDepthFirst && this.size <= MAX_OPEN_SUBTREES;
  }

  private isRedundant({ subtree, before, decision }: Open): boolean | undefined {
    return (
      decision !== undefined && hasOnlySteps(decision) && isRedundant(this.plan, subtree, before, this.steps)
    );
  }

  /**
   * Adds the subtrees that branch off the execution of one that was taken. Returns the share of the tree that is left out, because
   * it is known.
   */
  add({ before }: Taken, { choices, nodes, path }: Pick<Execution, 'choices' | 'nodes' | 'path'>): number {
    const known = this.predicts ? path : undefined;
    const beginnings = known === undefined ? [] : this.steps.add(before, choices, known);
    const { subtrees, leftOut } = this.states.open({ choices, nodes });
    for (const subtree of subtrees.toReversed()) {
      const at = subtree.prefix.length - 1 - (known?.from ?? 0);
      this.stack.push({ subtree, before: beginnings[at], decision: known?.decisions[at] });
    }
    return leftOut;
  }

  /** Subtrees that were taken, but not run. */
  putBack(subtrees: readonly Taken[]): void {
    this.stack.push(...subtrees);
  }

  private next(isLast: boolean): Open | undefined {
    const [first] = this.postponed;
    const isDue =
      first !== undefined && ((isLast && this.stack.length === 0) || (first.due ?? 0) <= this.taken);
    return isDue ? this.postponed.shift() : this.pick();
  }

  /**
   * A depth-first search of a large tree stays in one corner for long: after a while subtrees are taken from anywhere in
   * the stack, in a deterministic order.
   */
  private pick(): Open | undefined {
    const { stack, taken } = this;
    if (this.isDepthFirst || stack.length > MAX_OPEN_SUBTREES) return stack.pop();
    return stack.splice((Math.imul(taken, 0x9e3779b1) >>> 0) % stack.length, 1)[0];
  }
}
