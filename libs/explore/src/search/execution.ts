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

/** What is explored. */
export interface Plan {
  readonly setup: Setup;
  readonly budget: Budget;
  readonly faultPlaces: FaultPlaces;
  /** At most so many times another actor goes on although the last one could have; absent: any number. */
  readonly bound?: number;
  /** Leave out schedules that differ only in the order of independent steps. Never together with a bound. */
  readonly reduce: boolean;
}

/** A part of the tree of schedules: all that begin with these choices, without those that begin with a sleeping. */
export interface Subtree {
  readonly prefix: readonly Choice[];
  readonly sleepSet: readonly SleepingChoice[];
}

export const ROOT: Subtree = { prefix: [], sleepSet: [] };

/** One schedule, and the parts of the tree that branch off it. */
export interface Execution {
  /** Every choice that was made. */
  readonly choices: readonly Choice[];
  /** Absent when all that could have come next was explored elsewhere. */
  readonly result: { readonly history: ScheduleHistory; readonly verdict: ScheduleVerdict } | undefined;
  readonly branches: readonly Subtree[];
}

/** The servers did something else than the last time: the explorer's promise of determinism is broken. */
export class Diverged extends Error {
  readonly code = 'EXPLORE.DIVERGED';

  constructor(at: number, choice: Choice) {
    super(`choice ${at} (${choice}) was possible when the schedule was found, and is not any more`);
    this.name = 'Diverged';
  }
}

/** Also of one that a worker's thread has met. */
export const isDiverged = (error: unknown): error is Error =>
  error instanceof Error && error.name === 'Diverged';

/** Follows the task's choices, then always the first one that is left; what else could have been done are branches. */
export const execute = (world: World, plan: Plan, subtree: Subtree): Promise<Execution> =>
  retryIfDisturbed(world, plan.setup, (run) => follow(run, plan, subtree));

async function follow(run: Run, plan: Plan, subtree: Subtree): Promise<Execution> {
  const choices: Choice[] = [];
  const branches: Subtree[] = [];
  let state: State = { left: plan.budget, sleepSet: subtree.sleepSet, preemptions: 0, last: undefined };
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
      await enabledChoices(run, plan, state); // lets time pass where it passed before
      state = { ...next(run, plan, state, forced), sleepSet: subtree.sleepSet };
      choices.push(forced);
      await perform(run, forced, choices.length);
    }
  }
  const history = await close(run);
  return { choices, result: { history, verdict: judgeSchedule(history) }, branches };
}

interface State {
  readonly left: Budget;
  readonly sleepSet: readonly SleepingChoice[];
  readonly preemptions: number;
  /** The actor that moved last. */
  readonly last: string | undefined;
}

async function perform(run: Run, choice: Choice, at: number): Promise<void> {
  if (!(await apply(run, choice))) throw new Diverged(at, choice);
}

/** What could come next. When nobody can move time passes, until somebody can or everything is over. */
async function enabledChoices(run: Run, plan: Plan, state: State): Promise<Choice[] | 'over'> {
  for (;;) {
    const steps = enabledSteps(run);
    const faults = isOver(run) ? [] : enabledFaults(run, state.left, plan.faultPlaces);
    if (steps.length === 0 && !faults.some((choice) => choice.startsWith('R'))) {
      if (await advanceTime(run)) continue;
      return 'over';
    }
    if (plan.reduce) {
      const invisible = steps.find((choice) => isInvisible(run, choice, state.left));
      if (invisible !== undefined)
        return [invisible, ...faults.filter((choice) => /^[EQ]/.test(choice) && choice.endsWith(invisible))];
    }
    return [...withinBound(steps, plan, state), ...faults];
  }
}

const isOver = (run: Run): boolean => run.actors.every(({ outcome }) => outcome !== undefined);

/** With a bound: no change of actor beyond it while the last one could go on. */
function withinBound(steps: Choice[], { bound }: Plan, { last, preemptions }: State): Choice[] {
  if (bound === undefined || last === undefined || !steps.includes(last)) return steps;
  return preemptions >= bound ? [last] : [last, ...steps.filter((choice) => choice !== last)];
}

function next(run: Run, plan: Plan, state: State, choice: Choice): State {
  const isStep = /^[a-c]$/.test(choice);
  const preempts =
    isStep && state.last !== undefined && state.last !== choice && enabledSteps(run).includes(state.last);
  return {
    left: remainingAfter(state.left, choice),
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
