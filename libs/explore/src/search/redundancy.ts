import { FAULTS, type FaultName } from '#lab/strategy';
import { isLeft, isSpent, type Budget } from '../faults';
import { remainingAfter, type ActorChoice, type Choice } from '../schedule';
import { ACTOR_NAMES, type Setup } from '../world';
import type { Plan, Subtree } from './execution';
import { groupsOf, type Group } from './groups';
import { extend, type Beginning } from './happened-before';
import type { KnownSteps, Next } from './known-steps';
import type { NextStep } from './path';
import { isAsleep, stillSleeping, type SleepingChoice } from './reduction';

const FAULT_NAMES = Object.keys(FAULTS) as FaultName[];

/** Choices after which every actor of a living process, besides their own, can do what it could do before. */
const CHANGES_ONLY_OWN_STEP: ReadonlySet<Choice['kind']> = new Set([
  'step',
  'error',
  'lose-reply',
  'kill',
  'host-down',
  'in-flight',
  'arrival',
  'cut',
  'lapse',
  'flush',
  'server-down',
] as const);

/**
 * The subtree need not be run: without a decision between several choices, its schedule comes to one at which every enabled step is
 * asleep. False: it has to be run. Undefined: it is not known yet what an actor does next.
 *
 * @param before the choices before the last one of the prefix
 */
export function isRedundant(
  { budget, setup }: Pick<Plan, 'budget' | 'setup'>,
  { prefix, sleepSet, last, isGroupwise }: Omit<Subtree, 'share'>,
  before: Beginning,
  known: KnownSteps,
): boolean | undefined {
  const choice = prefix.at(-1);
  if (choice === undefined || last === undefined || !CHANGES_ONLY_OWN_STEP.has(choice.kind)) return false;
  const remaining = prefix.reduce(remainingAfter, budget);
  const isFaultLeft = !isSpent(remaining);
  const groups = groupsIn(setup, isGroupwise && !isFaultLeft);
  let made = prefix;
  let beginning = extend(before, choice, last);
  let asleep = sleepSet;
  while (asleep.length > 0) {
    const next = groups.map((group) =>
      stepsOf(group, made, setup).map((step) => nextOf(step, beginning, asleep, known, isFaultLeft)),
    );
    if (mayBeHit(next.flat(), remaining, asleep, setup)) return false;
    const enabled = next.map(enabledIn).filter((steps) => steps?.length !== 0);
    if (enabled.some((steps) => steps?.every(isSleeping) === true)) return true;
    if (enabled.includes(undefined)) return undefined;
    const [step, ...others] = enabled[0]?.filter((one) => !isSleeping(one)) ?? [];
    if (step === undefined || others.length > 0 || !isStep(step.next)) return false;
    made = [...made, step.choice];
    beginning = extend(beginning, step.choice, step.next.footprint);
    asleep = stillSleeping(asleep, step.next.footprint);
  }
  return false;
}

/** What an actor can do: its next step, or the arrival of its statement in flight. */
interface Possible {
  readonly choice: ActorChoice;
  /** Its step is enabled, and asleep. */
  readonly isAsleep: boolean;
  /** Undefined: not known. */
  readonly next: Next | undefined;
}

const nextOf = (
  choice: ActorChoice,
  after: Beginning,
  asleep: readonly SleepingChoice[],
  known: KnownSteps,
  isFaultLeft: boolean,
): Possible => {
  const sleeps = isAsleep(asleep, choice);
  // of a sleeping step only the faults that can hit it matter
  return {
    choice,
    isAsleep: sleeps,
    next: sleeps && !isFaultLeft ? undefined : known.next(after, choice.actor),
  };
};

const isSleeping = ({ isAsleep: sleeps }: Possible): boolean => sleeps;

const isStep = (next: Next | undefined): next is NextStep => typeof next === 'object';

const isEnabled = ({ isAsleep: sleeps, next }: Possible): boolean => sleeps || isStep(next);

/** Those with an enabled step. Undefined: not known. */
const enabledIn = (all: readonly Possible[]): readonly Possible[] | undefined =>
  all.some((one) => one.next === undefined && !isSleeping(one)) ? undefined : all.filter(isEnabled);

/** A fault that is left and not asleep may be possible. */
const mayBeHit = (
  all: readonly Possible[],
  remaining: Budget,
  asleep: readonly SleepingChoice[],
  setup: Setup,
): boolean =>
  FAULT_NAMES.filter((fault) => isLeft(remaining, fault)).some(
    (fault) => choicesOf(fault, all, setup)?.every((choice) => isAsleep(asleep, choice)) !== true,
  );

/** Every choice that may inject the fault; more than are possible. Undefined: not known. */
function choicesOf(fault: FaultName, all: readonly Possible[], setup: Setup): readonly Choice[] | undefined {
  switch (fault) {
    case 'kill':
    case 'host-down':
    case 'pause':
    case 'cut':
    case 'lost-session':
      return [...new Set(setup.processes)].flatMap((name, i) =>
        all.some((one) => isRunning(one) && processOf(one.choice.actor, setup) === name)
          ? [{ kind: fault, process: i + 1 }]
          : [],
      );
    case 'lapse':
    case 'tick':
      return [{ kind: fault }];
    case 'error':
    case 'lose-reply':
    case 'in-flight':
    case 'slow':
    case 'overrun':
      return all
        .filter((one) => isEnabled(one) && (!isStep(one.next) || one.next.faults.includes(fault)))
        .map(({ choice: { actor } }) => ({ kind: fault, actor }));
    case 'flush':
    case 'server-down':
      return undefined;
  }
}

/** Its process is alive, and its request is known not to have ended. */
const isRunning = (one: Possible): boolean =>
  one.choice.kind === 'step' && (isSleeping(one) || (one.next !== undefined && one.next !== 'over'));

/** Actors that may take their steps in any order. */
const groupsIn = (setup: Setup, isGroupwise: boolean): readonly Group[] =>
  isGroupwise ? groupsOf(setup) : [new Set(ACTOR_NAMES.slice(0, setup.processes.length))];

/** The steps that the actors of a group may take after some choices. */
const stepsOf = (group: Group, made: readonly Choice[], setup: Setup): readonly ActorChoice[] => {
  const dead = new Set(made.flatMap((choice) => killedBy(choice, setup)));
  return [...group].flatMap((actor): ActorChoice[] => {
    if (!dead.has(actor)) return [{ kind: 'step', actor }];
    const last = made.findLast((choice) => 'actor' in choice && choice.actor === actor);
    return last?.kind === 'in-flight' ? [{ kind: 'arrival', actor }] : [];
  });
};

const processOf = (name: string, { processes }: Setup): string | undefined =>
  processes[ACTOR_NAMES.findIndex((actor) => actor === name)];

/** The actors of the process that a choice kills. */
function killedBy(choice: Choice, setup: Setup): readonly string[] {
  const { processes } = setup;
  let killed: string | undefined;
  if (choice.kind === 'kill' || choice.kind === 'host-down')
    killed = [...new Set(processes)][choice.process - 1];
  else if (choice.kind === 'in-flight') killed = processOf(choice.actor, setup);
  if (killed === undefined) return [];
  return ACTOR_NAMES.filter((_, i) => processes[i] === killed);
}
