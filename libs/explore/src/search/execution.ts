import type { ScheduleHistory, ScheduleVerdict } from '#lab/verdict';
import { isSpent, type Budget } from '../faults';
import {
  apply,
  choiceText,
  close,
  continuation,
  drive,
  enabledFaults,
  isSame,
  remainingAfter,
  retryIfDisturbed,
  type ActorChoice,
  type Choice,
  type Enabled,
  type FaultPlaces,
} from '../schedule';
import { isContended } from './contention';
import { dependent, dependsOnLeases, footprint, type Footprint } from './footprint';
import { InterleavingCounter } from './interleavings';
import type { Node } from './node';
import { areDependent, groupsOf, type Group } from './groups';
import { PathRecorder, type Path } from './path';
import { isAsleep, isInvisible, mayAdvanceTime, stillSleeping, type SleepingChoice } from './reduction';
import { stateOf } from './state';
import { withoutTwins } from './symmetry';
import { Disturbed, type Run } from '../execution';
import type { Setup, World } from '../world';

/** What to explore. */
export interface Plan {
  readonly setup: Setup;
  readonly budget: Budget;
  readonly faultPlaces: FaultPlaces;
  /** Preemption bound: switches to another actor while the last one is enabled. Absent: unlimited. */
  readonly bound?: number;
  /**
   * Partial-order reduction: skips schedules that differ only in the order of independent steps. Incompatible with a
   * bound.
   */
  readonly reduce: boolean;
  /** Without the reduction: runs what follows a state once, although all orders of steps that lead to it are different. */
  readonly joinsStates?: true;
}

/**
 * A subtree of the schedule tree: all schedules with this prefix, except those that continue with a choice of the
 * sleep set.
 */
export interface Subtree {
  readonly prefix: readonly Choice[];
  /** What the last choice of the prefix accesses. Undefined for the root. */
  readonly last: Footprint | undefined;
  readonly sleepSet: readonly SleepingChoice[];
  /** Its share of the tree if all branches of a node were equally large: 1 for the root. For estimates only. */
  readonly share: number;
  /**
   * When no fault is left, the groups of actors take their steps one after the other: any other order is equivalent, as long as no
   * schedule of the search shows that two groups are dependent.
   */
  readonly isGroupwise: boolean;
  /** Code may read the clock after any of its steps, so that the time of a step always matters. */
  readonly readsClock: boolean;
}

/** All schedules of a plan. */
export const rootOf = (isGroupwise: boolean, readsClock = false): Subtree => ({
  prefix: [],
  last: undefined,
  sleepSet: [],
  share: 1,
  isGroupwise,
  readsClock,
});

/** One schedule, and the decisions at which others branch off. */
export interface Execution {
  /** All choices made. */
  readonly choices: readonly Choice[];
  /** Absent when all enabled choices were in the sleep set: explored elsewhere. */
  readonly result:
    | {
        readonly history: ScheduleHistory;
        readonly verdict: ScheduleVerdict;
        /**
         * Number of interleavings that this schedule stands for, including itself. Undefined with faults and the reduction: it
         * leaves out positions of a fault that have the same effect, and they cannot be counted. Undefined with a bound, too:
         * the schedules are then not all interleavings.
         */
        readonly interleavings: number | undefined;
        /** In this schedule, or in an equivalent one, two actors overlap. */
        readonly isContended: boolean;
      }
    | undefined;
  /** The decisions between several choices after the prefix, from the root on. */
  readonly nodes: readonly Node[];
  /** From the last choice of the prefix on. Undefined without the reduction. */
  readonly path: Path | undefined;
  /** Its subtree is groupwise, and must not be. */
  readonly showsDependentGroups: boolean;
  /** Code has read the clock (`Run.hasReadClock`) in a plan that advances it, and its subtree does not say so. */
  readonly showsReadClock: boolean;
  /** `Run.unobserved`. */
  readonly unobserved: string | undefined;
  /** Share of the tree, as in `Subtree`. */
  readonly share: number;
}

/** The servers or the code behaved differently than before: this run of the schedule, or the one that found it, was disturbed. */
export class Diverged extends Disturbed {
  override readonly code = 'EXPLORE.DIVERGED';

  constructor(at: number, choice: Choice) {
    super(`choice ${at} (${choiceText(choice)}) was enabled when the schedule was found, and no longer is`);
    this.name = 'Diverged';
  }
}

/** Also true for a `Diverged` that a worker reported. */
export const isDiverged = (error: unknown): error is Error =>
  error instanceof Error && error.name === 'Diverged';

/** Follows the prefix of the subtree, then always the first choice outside the sleep set. */
export const execute = (world: World, plan: Plan, subtree: Subtree): Promise<Execution> =>
  retryIfDisturbed(world, plan.setup, (run) => executeSubtree(run, plan, subtree));

async function executeSubtree(run: Run, plan: Plan, subtree: Subtree): Promise<Execution> {
  const choices: Choice[] = [];
  const nodes: Node[] = [];
  const isCounted = plan.bound === undefined && isSpent(plan.budget);
  const advancesTime = plan.reduce && mayAdvanceTime(plan.budget);
  if (advancesTime && subtree.readsClock) run.hasReadClock = true; // before it is read as well
  const groups = subtree.isGroupwise ? groupsOf(plan.setup) : [];
  const withoutFault: Footprint[] = []; // of the choices after the last fault
  const counter = isCounted && plan.reduce ? new InterleavingCounter() : undefined;
  let state: State = {
    remaining: plan.budget,
    sleepSet: subtree.sleepSet,
    preemptions: 0,
    last: undefined,
    share: subtree.share,
  };
  let isRedundant = false as boolean; // set by `decide`
  const recorder = plan.reduce ? new PathRecorder(Math.max(0, subtree.prefix.length - 1)) : undefined;
  const take = (choice: Choice | undefined, enabled: Enabled): Choice | undefined => {
    if (choice === undefined) return undefined;
    const effect = plan.reduce ? footprint(run, choice) : undefined;
    if (effect !== undefined) {
      if (advancesTime) noteTime(run, effect);
      if (isSpent(state.remaining)) withoutFault.push(effect);
      counter?.note(choice, effect);
      recorder?.note(choice, effect);
    }
    state = next(state, choice, effect, enabled);
    return choice;
  };
  const decide = (enabled: Enabled): Choice | undefined => {
    counter?.look(run, enabled);
    recorder?.look(run, enabled);
    const forced = subtree.prefix[choices.length];
    if (forced !== undefined) {
      take(forced, enabled);
      state = { ...state, sleepSet: subtree.sleepSet };
      return forced;
    }
    if (isRedundant) return take(continuation(choices, enabled), enabled);
    if (enabled.isLater) state = { ...state, sleepSet: [] }; // only faults can sleep here, and a fault before this time is another one
    const open = openChoices(run, plan, state, enabled, isCounted, groups);
    const awake = open.filter((choice) => !isAsleep(state.sleepSet, choice));
    isRedundant = open.length > 0 && awake.length === 0;
    if (isRedundant) return take(continuation(choices, enabled), enabled); // to the end: that is faster than to end its sessions
    const taken = Math.max(
      awake.findIndex((choice) => enabled.steps.some((step) => isSame(step, choice))),
      0,
    );
    const choice = awake[taken];
    if (choice === undefined) return undefined;
    if (awake.length > 1) {
      const node = nodeAt(run, plan, choices.length, awake, taken, state, isCounted);
      nodes.push(node);
      state = { ...state, share: node.share, sleepSet: [...state.sleepSet, ...node.awake.slice(0, taken)] };
    }
    return take(choice, enabled);
  };
  await drive(run, decide, async (choice) => {
    choices.push(choice);
    if (!(await apply(run, choice))) throw new Diverged(choices.length, choice);
  });
  const history = await close(run);
  return {
    choices,
    result: isRedundant
      ? undefined
      : {
          history,
          verdict: run.subject.judge(history),
          interleavings: interleavingsOf(plan, counter),
          isContended: isContended(history) || canAlternate(recorder?.steps ?? []),
        },
    nodes,
    path: recorder?.path,
    showsDependentGroups: areDependent(groups, withoutFault),
    showsReadClock: advancesTime && run.hasReadClock && !subtree.readsClock,
    unobserved: run.unobserved,
    share: state.share,
  };
}

/** Without the reduction every interleaving is a schedule. */
function interleavingsOf(
  { reduce, joinsStates, bound }: Plan,
  counter: InterleavingCounter | undefined,
): number | undefined {
  if (counter !== undefined) return counter.count();
  return reduce || joinsStates === true || bound !== undefined ? undefined : 1;
}

/** For `Run.hasReadClock`: the code behind this choice may read the clock. */
function noteTime({ timeless }: Run, effect: Footprint): void {
  if (effect.actor === undefined) return;
  if (dependsOnLeases(effect)) timeless.delete(effect.actor);
  else timeless.add(effect.actor);
}

/**
 * The last step of one actor and the first one of the next actor are independent: in an equivalent schedule they are exchanged,
 * and the first actor resumes after a step of the second one.
 */
const canAlternate = (steps: readonly Footprint[]): boolean =>
  steps.some((step, i) => {
    const [before, last] = [steps[i - 2], steps[i - 1]];
    return (
      last !== undefined &&
      before?.actor === last.actor &&
      step.actor !== last.actor &&
      !dependent(last, step)
    );
  });

interface State {
  readonly remaining: Budget;
  readonly sleepSet: readonly SleepingChoice[];
  readonly preemptions: number;
  /** The actor that took the last step. */
  readonly last: string | undefined;
  readonly share: number;
}

/** The choices to explore here; none: the schedule is over. */
function openChoices(
  run: Run,
  plan: Plan,
  state: State,
  { steps, resumes }: Enabled,
  isCounted: boolean,
  groups: readonly Group[],
): readonly Choice[] {
  if (steps.length + resumes.length === 0) return [];
  const faults = enabledFaults(run, state.remaining, plan.faultPlaces);
  if (plan.reduce) {
    const invisible = steps.find((choice) => isInvisible(run, choice, state.remaining));
    if (invisible !== undefined) return [...faults.filter((fault) => isFailure(fault, invisible)), invisible];
  }
  const ofOneGroup =
    faults.length === 0 && isSpent(state.remaining) ? stepsOfGroup(steps, groups, state.sleepSet) : steps;
  const open = [...faults, ...withinBound(ofOneGroup, plan, state)];
  return plan.reduce && !isCounted ? withoutTwins(run, open) : open;
}

/** The steps of one group; of one whose steps all sleep, if there is one: then the schedule is redundant. */
function stepsOfGroup(
  steps: readonly ActorChoice[],
  groups: readonly Group[],
  sleepSet: readonly SleepingChoice[],
): readonly ActorChoice[] {
  const ofGroups = groups
    .map((group) => steps.filter(({ actor }) => group.has(actor)))
    .filter(({ length }) => length > 0);
  return ofGroups.find((own) => own.every((step) => isAsleep(sleepSet, step))) ?? ofGroups[0] ?? steps;
}

/** The fault makes this step fail, or loses its reply. */
const isFailure = (fault: Choice, { actor }: ActorChoice): boolean =>
  (fault.kind === 'error' || fault.kind === 'lose-reply') && fault.actor === actor;

/** Preemption bound: no switch beyond it while the last actor is enabled. */
function withinBound(
  steps: readonly ActorChoice[],
  { bound }: Plan,
  { last, preemptions }: State,
): readonly ActorChoice[] {
  const same = steps.find((choice) => isStepOf(choice, last));
  if (bound === undefined || same === undefined) return steps;
  return preemptions >= bound ? [same] : [same, ...steps.filter((choice) => choice !== same)];
}

const isStepOf = (choice: Choice, actor: string | undefined): boolean =>
  choice.kind === 'step' && choice.actor === actor;

/** `effect`: what the choice accesses; undefined: nothing sleeps, because nothing is reduced. */
function next(state: State, choice: Choice, effect: Footprint | undefined, { steps }: Enabled): State {
  const actor = choice.kind === 'step' ? choice.actor : undefined;
  const preempts =
    actor !== undefined && actor !== state.last && steps.some((step) => isStepOf(step, state.last));
  return {
    remaining: remainingAfter(state.remaining, choice),
    sleepSet: effect === undefined ? [] : stillSleeping(state.sleepSet, effect),
    preemptions: state.preemptions + (preempts ? 1 : 0),
    last: actor ?? state.last,
    share: state.share,
  };
}

/** `isCounted`: the reduction has to count every interleaving, so that a known state is searched again. */
const joinsStates = (plan: Plan, isCounted: boolean): boolean =>
  plan.reduce ? !isCounted : plan.joinsStates === true;

function nodeAt(
  run: Run,
  plan: Plan,
  at: number,
  awake: readonly Choice[],
  taken: number,
  { remaining, sleepSet, share }: State,
  isCounted: boolean,
): Node {
  return {
    at,
    state: joinsStates(plan, isCounted) ? stateOf(run, remaining) : undefined,
    sleepSet,
    awake: awake.map((choice) => ({ choice, footprint: footprint(run, choice) })),
    taken,
    share: share / awake.length,
  };
}
