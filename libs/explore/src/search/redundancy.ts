import { isSpent } from '../faults';
import { remainingAfter, type ActorChoice, type Choice } from '../schedule';
import { ACTOR_NAMES, type Setup } from '../world';
import type { Plan, Subtree } from './execution';
import type { Footprint } from './footprint';
import { groupsOf, type Group } from './groups';
import { extend, type Beginning } from './happened-before';
import type { KnownSteps } from './known-steps';
import { isAsleep, stillSleeping, type SleepingChoice } from './reduction';

/** Choices after which every actor of a living process, besides their own, can do what it could do before. */
const CHANGES_ONLY_OWN_STEP: ReadonlySet<Choice['kind']> = new Set([
  'step',
  'error',
  'lose-reply',
  'kill',
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
  if (!isSpent(prefix.reduce(remainingAfter, budget))) return false;
  const dead = new Set(prefix.flatMap((one) => killedBy(one, setup)));
  const groups = groupsIn(setup, isGroupwise).map((group) => [...group].filter((actor) => !dead.has(actor)));
  let beginning = extend(before, choice, last);
  let asleep = sleepSet;
  while (asleep.length > 0) {
    const next = groups
      .map((actors) => enabledIn(actors, beginning, asleep, known))
      .filter((steps) => steps?.length !== 0);
    if (next.some((steps) => steps?.every(isSleeping) === true)) return true;
    if (next.includes(undefined)) return undefined;
    const [step, ...others] = next[0]?.filter((one) => !isSleeping(one)) ?? [];
    if (step?.footprint === undefined || others.length > 0) return false;
    beginning = extend(beginning, step.choice, step.footprint);
    asleep = stillSleeping(asleep, step.footprint);
  }
  return false;
}

/** A step that is enabled. */
interface EnabledStep {
  readonly choice: ActorChoice;
  /** Undefined: it is asleep. */
  readonly footprint: Footprint | undefined;
}

const isSleeping = ({ footprint }: EnabledStep): boolean => footprint === undefined;

/** The enabled steps of some actors. Undefined: not known. */
function enabledIn(
  actors: readonly string[],
  after: Beginning,
  asleep: readonly SleepingChoice[],
  known: KnownSteps,
): readonly EnabledStep[] | undefined {
  const steps: EnabledStep[] = [];
  for (const actor of actors) {
    const choice: ActorChoice = { kind: 'step', actor };
    const next = isAsleep(asleep, choice) ? 'asleep' : known.next(after, actor);
    if (next === undefined) return undefined;
    if (next !== 'nothing') steps.push({ choice, footprint: next === 'asleep' ? undefined : next });
  }
  return steps;
}

/** Actors that may take their steps in any order. */
const groupsIn = (setup: Setup, isGroupwise: boolean): readonly Group[] =>
  isGroupwise ? groupsOf(setup) : [new Set(ACTOR_NAMES.slice(0, setup.processes.length))];

/** The actors of the process that a choice kills. */
function killedBy(choice: Choice, { processes }: Setup): readonly string[] {
  let killed: string | undefined;
  if (choice.kind === 'kill') killed = [...new Set(processes)][choice.process - 1];
  else if (choice.kind === 'in-flight')
    killed = processes[ACTOR_NAMES.findIndex((name) => name === choice.actor)];
  if (killed === undefined) return [];
  return ACTOR_NAMES.filter((_, i) => processes[i] === killed);
}
