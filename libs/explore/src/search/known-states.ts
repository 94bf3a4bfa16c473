import { choiceText } from '../schedule';
import { rootOf, type Execution, type Plan, type Subtree } from './execution';
import type { Node } from './node';
import { stillSleeping, type SleepingChoice } from './reduction';

/** The subtrees that an execution adds to a search. */
interface Opened {
  readonly subtrees: readonly Subtree[];
  /** Share of the tree that is skipped, because its states were searched before. */
  readonly leftOut: number;
}

/**
 * The states that a search has reached. The continuations of a state depend on the state only, so they are searched once, at the
 * first arrival. A later arrival is run as one schedule, because its own past may show a violation.
 *
 * Sleep sets need care (Godefroid, "Partial-order methods for the verification of concurrent systems", 1996, section 5.2): an
 * arrival skips the choices in its sleep set. A later arrival searches the skipped choices that are not in its own sleep
 * set; the recorded set shrinks to the choices that every arrival so far has skipped.
 */
export class KnownStates {
  /** By state: the choices that every arrival so far has skipped. */
  private readonly leftOut = new Map<string, ReadonlySet<string>>();
  /** One set for many equal ones. */
  private readonly sets = new Map<string, ReadonlySet<string>>();

  constructor(
    private readonly plan: Pick<Plan, 'reduce'>,
    private readonly root: Pick<Subtree, 'isGroupwise' | 'readsClock'> = rootOf(false),
  ) {}

  /** The subtrees that branch off an execution and have to be searched. */
  open({ choices, nodes }: Pick<Execution, 'choices' | 'nodes'>): Opened {
    const subtrees: Subtree[] = [];
    let leftOut = 0;
    let isKnown = false; // from here on, the execution repeats what was searched from an earlier arrival
    for (const node of nodes) {
      const { awake, taken, sleepSet, share, state } = node;
      if (isKnown) {
        leftOut += share * (awake.length - 1);
        continue;
      }
      const known = state === undefined ? undefined : this.leftOut.get(state);
      if (state === undefined || known === undefined) {
        if (state !== undefined) this.leftOut.set(state, this.textsOf(sleepSet));
        const branches = this.branches(choices, node, sleepSet, awake);
        subtrees.push(...branches.slice(taken + 1), ...branches.slice(0, taken)); // other steps before faults
        continue;
      }
      isKnown = true;
      const stillLeftOut = sleepSet.filter(({ choice }) => known.has(choiceText(choice)));
      const missing = awake.filter(({ choice }) => known.has(choiceText(choice)));
      this.leftOut.set(state, this.textsOf(stillLeftOut));
      subtrees.push(...this.branches(choices, node, stillLeftOut, missing));
      leftOut += share * Math.max(0, awake.length - 1 - missing.length);
    }
    return { subtrees, leftOut };
  }

  /** One subtree for each choice in `next`. Its sleep set has the choices of the subtrees before it, as far as they are independent. */
  private branches(
    choices: Execution['choices'],
    { at, share }: Node,
    sleepSet: readonly SleepingChoice[],
    next: readonly SleepingChoice[],
  ): Subtree[] {
    return next.map(({ choice, footprint }, i) => ({
      prefix: [...choices.slice(0, at), choice],
      last: footprint,
      share,
      sleepSet: this.plan.reduce ? stillSleeping([...sleepSet, ...next.slice(0, i)], footprint) : [],
      isGroupwise: this.root.isGroupwise,
      readsClock: this.root.readsClock,
    }));
  }

  private textsOf(sleepSet: readonly SleepingChoice[]): ReadonlySet<string> {
    const texts = sleepSet.map(({ choice }) => choiceText(choice)).sort();
    const name = texts.join(' ');
    const set = this.sets.get(name) ?? new Set(texts);
    this.sets.set(name, set);
    return set;
  }
}
