import { choiceText } from '../schedule';
import type { Execution, Node, Plan, Subtree } from './execution';
import { stillSleeping, type SleepingChoice } from './reduction';

/** What a search has to run because of an execution. */
interface Opened {
  readonly subtrees: readonly Subtree[];
  /** Share of the tree that is left out, because its state is known. */
  readonly leftOut: number;
}

/**
 * The states that a search has reached. What follows a state depends on the state only, so it is searched from the first
 * arrival. Of every later arrival one schedule is run, because its own past may show a violation.
 *
 * Sleep sets need care (Godefroid, "Partial-order methods for the verification of concurrent systems", 1996, section 5.2): an
 * arrival leaves out the choices that are asleep. A later arrival searches those of them that are awake for it, and
 * what it may leave out in turn is what all arrivals have left out.
 */
export class KnownStates {
  /** The choices that every arrival at a state has left out. */
  private readonly leftOut = new Map<string, ReadonlySet<string>>();

  constructor(private readonly plan: Pick<Plan, 'reduce'>) {}

  /** The subtrees that branch off an execution and have to be searched. */
  open({ choices, nodes }: Pick<Execution, 'choices' | 'nodes'>): Opened {
    const subtrees: Subtree[] = [];
    let leftOut = 0;
    let isKnown = false; // from here on, the execution repeats what was searched from an earlier arrival
    for (const node of nodes) {
      const { awake, sleepSet, share, state } = node;
      if (isKnown) {
        leftOut += share * (awake.length - 1);
        continue;
      }
      const known = state === undefined ? undefined : this.leftOut.get(state);
      if (state === undefined || known === undefined) {
        if (state !== undefined) this.leftOut.set(state, textsOf(sleepSet));
        subtrees.push(...this.branches(choices, node, sleepSet, awake).slice(1));
        continue;
      }
      isKnown = true;
      const stillLeftOut = sleepSet.filter(({ choice }) => known.has(choiceText(choice)));
      const missing = awake.filter(({ choice }) => known.has(choiceText(choice)));
      this.leftOut.set(state, textsOf(stillLeftOut));
      subtrees.push(...this.branches(choices, node, stillLeftOut, missing));
      leftOut += share * Math.max(0, awake.length - 1 - missing.length);
    }
    return { subtrees, leftOut };
  }

  /** A subtree for each of `next`, which leaves out what the subtrees before it have searched. */
  private branches(
    choices: Execution['choices'],
    { at, share }: Node,
    sleepSet: readonly SleepingChoice[],
    next: readonly SleepingChoice[],
  ): Subtree[] {
    return next.map(({ choice, footprint }, i) => ({
      prefix: [...choices.slice(0, at), choice],
      share,
      sleepSet: this.plan.reduce ? stillSleeping([...sleepSet, ...next.slice(0, i)], footprint) : [],
    }));
  }
}

const textsOf = (sleepSet: readonly SleepingChoice[]): ReadonlySet<string> =>
  new Set(sleepSet.map(({ choice }) => choiceText(choice)));
