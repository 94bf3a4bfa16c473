import { judgeSchedule, type ScheduleHistory, type ScheduleVerdict } from '#lab/verdict';
import type { Budget } from '../faults';
import {
  apply,
  enabledFaults,
  remainingAfter,
  enabledSteps,
  type Choice,
  type FaultPlaces,
  close,
  advanceTime,
  retryIfDisturbed,
} from '../schedule';
import { footprint } from './footprint';
import { stillSleeping, isInvisible, type SleepingChoice } from './reduction';
import type { Run } from '../execution';
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
}

/**
 * A subtree of the schedule tree: all schedules with this prefix, except those that continue with a choice of the
 * sleep set.
 */
export interface Subtree {
  readonly prefix: readonly Choice[];
  readonly sleepSet: readonly SleepingChoice[];
}

export const ROOT: Subtree = { prefix: [], sleepSet: [] };

/** One schedule, and the subtrees that branch off it. */
export interface Execution {
  /** All choices made. */
  readonly choices: readonly Choice[];
  /** Absent when all enabled choices were in the sleep set: explored elsewhere. */
  readonly result: { readonly history: ScheduleHistory; readonly verdict: ScheduleVerdict } | undefined;
  readonly branches: readonly Subtree[];
}

/** The servers behaved differently than before: the schedule was not deterministic. */
export class Diverged extends Error {
  readonly code = 'EXPLORE.DIVERGED';

  constructor(at: number, choice: Choice) {
    super(`choice ${at} (${choice}) was enabled when the schedule was found, and no longer is`);
    this.name = 'Diverged';
  }
}

/** Also true for a `Diverged` that a worker reported. */
export const isDiverged = (error: unknown): error is Error =>
  error instanceof Error && error.name === 'Diverged';

/**
 * Follows the prefix of the subtree, then always the first choice outside the sleep set; the other choices become
 * branches.
 */
export const execute = (world: World, plan: Plan, subtree: Subtree): Promise<Execution> =>
  retryIfDisturbed(world, plan.setup, (run) => executeSubtree(run, plan, subtree));

async function executeSubtree(run: Run, plan: Plan, subtree: Subtree): Promise<Execution> {
  const choices: Choice[] = [];
  const branches: Subtree[] = [];
  let state: State = { remaining: plan.budget, sleepSet: subtree.sleepSet, preemptions: 0, last: undefined };
  for (;;) {
    const forced = subtree.prefix[choices.length];
    if (forced === undefined) {
      const open = await enabledChoices(run, plan, state);
      if (open === 'over') break;
      const awake = open.filter((choice) => !state.sleepSet.some((sleeping) => sleeping.choice === choice));
      const [first, ...others] = awake;
      if (first === undefined) {
        await close(run);
        return { choices, result: undefined, branches };
      }
      branches.push(...branchesAt(run, plan, choices, [first, ...others], state));
      state = next(run, plan, state, first);
      choices.push(first);
      await perform(run, first, choices.length);
    } else {
      await enabledChoices(run, plan, state); // advances time where it advanced before
      state = { ...next(run, plan, state, forced), sleepSet: subtree.sleepSet };
      choices.push(forced);
      await perform(run, forced, choices.length);
    }
  }
  const history = await close(run);
  return { choices, result: { history, verdict: judgeSchedule(history) }, branches };
}

interface State {
  readonly remaining: Budget;
  readonly sleepSet: readonly SleepingChoice[];
  readonly preemptions: number;
  /** The actor that took the last step. */
  readonly last: string | undefined;
}

async function perform(run: Run, choice: Choice, at: number): Promise<void> {
  if (!(await apply(run, choice))) throw new Diverged(at, choice);
}

/** The enabled choices. When no step is enabled, time advances until one is or the schedule is over. */
async function enabledChoices(run: Run, plan: Plan, state: State): Promise<Choice[] | 'over'> {
  for (;;) {
    const steps = enabledSteps(run);
    const faults = isOver(run) ? [] : enabledFaults(run, state.remaining, plan.faultPlaces);
    if (steps.length === 0 && !faults.some((choice) => choice.startsWith('R'))) {
      if (await advanceTime(run)) continue;
      return 'over';
    }
    if (plan.reduce) {
      const invisible = steps.find((choice) => isInvisible(run, choice, state.remaining));
      if (invisible !== undefined)
        return [invisible, ...faults.filter((choice) => /^[EQ]/.test(choice) && choice.endsWith(invisible))];
    }
    return [...withinBound(steps, plan, state), ...faults];
  }
}

const isOver = (run: Run): boolean => run.actors.every(({ outcome }) => outcome !== undefined);

/** Preemption bound: no switch beyond it while the last actor is enabled. */
function withinBound(steps: Choice[], { bound }: Plan, { last, preemptions }: State): Choice[] {
  if (bound === undefined || last === undefined || !steps.includes(last)) return steps;
  return preemptions >= bound ? [last] : [last, ...steps.filter((choice) => choice !== last)];
}

function next(run: Run, plan: Plan, state: State, choice: Choice): State {
  const isStep = /^[a-c]$/.test(choice);
  const preempts =
    isStep && state.last !== undefined && state.last !== choice && enabledSteps(run).includes(state.last);
  return {
    remaining: remainingAfter(state.remaining, choice),
    sleepSet: plan.reduce ? stillSleeping(state.sleepSet, footprint(run, choice)) : [],
    preemptions: state.preemptions + (preempts ? 1 : 0),
    last: isStep ? choice : state.last,
  };
}

function branchesAt(
  run: Run,
  plan: Plan,
  before: readonly Choice[],
  awake: readonly Choice[],
  { sleepSet }: State,
): Subtree[] {
  return awake.slice(1).map((choice, i) => ({
    prefix: [...before, choice],
    sleepSet: plan.reduce
      ? stillSleeping(
          [...sleepSet, ...awake.slice(0, i + 1).map((c) => ({ choice: c, footprint: footprint(run, c) }))],
          footprint(run, choice),
        )
      : [],
  }));
}
