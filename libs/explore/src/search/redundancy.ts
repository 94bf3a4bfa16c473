import { isWaiting } from '../actors';
import type { Run } from '../execution';
import type { Budget } from '../faults';
import { isSame, remainingAfter, stepOf, type ActorChoice, type Choice, type Enabled } from '../schedule';
import { dependent, footprint, type Footprint } from './footprint';
import type { Branch, Node } from './node';
import type { SleepingChoice } from './reduction';

/** What an actor could do at a decision: take a step, nothing any more, or something else; the footprint: it waits for a lock. */
type Status = 'enabled' | 'over' | 'other' | Footprint;

interface Decision {
  readonly steps: readonly ActorChoice[];
  readonly statuses: ReadonlyMap<string, Status>;
  readonly isPaused: boolean;
  readonly isLater: boolean;
}

/** A decision, and the budget that was left there. */
export interface OpenNode {
  readonly node: Node;
  readonly remaining: Budget;
}

/** Faults after which every living actor can do what it could do before. */
const CHANGES_NO_STEP: ReadonlySet<Choice['kind']> = new Set([
  'kill',
  'cut',
  'lapse',
  'flush',
  'server-down',
] as const);

/**
 * Finds branches of a schedule that need not be run: after them, one actor takes all its steps while all others sleep, and then
 * only sleeping choices are left. The schedule itself shows those steps: when each of them is independent of what the
 * others have done since the branch, the actor receives the same replies right after the branch.
 */
export class RedundancyDetector {
  private readonly decisions: Decision[] = [];
  private readonly choices: Choice[] = [];
  private readonly footprints: Footprint[] = [];

  /** Called at each decision. */
  look(run: Run, { steps, resumes, isLater }: Enabled): void {
    this.decisions.push({
      steps,
      statuses: new Map(run.actors.map(({ name }) => [name, statusOf(run, name, steps)])),
      isPaused: resumes.length > 0,
      isLater,
    });
  }

  /** Called with the choice that is made there. */
  note(choice: Choice, effect: Footprint): void {
    this.choices.push(choice);
    this.footprints.push(effect);
  }

  /** The footprints of the steps so far. */
  get steps(): readonly Footprint[] {
    return this.footprints.filter((_, i) => this.choices[i]?.kind === 'step');
  }

  /** The node, with what its whole schedule shows of its branches. */
  apply(run: Run, { node, remaining }: OpenNode): Node {
    const { awake, sleepSet } = node;
    const foreseen = (branch: Branch, i: number): Branch => {
      const faultsAreLeft = Object.values(remainingAfter(remaining, branch.choice)).some((n) => n > 0);
      if (faultsAreLeft || i === node.taken) return branch;
      const asleep = [...sleepSet, ...awake.filter((other) => other !== branch)];
      const needed = this.othersAfter(run, node.at, branch, asleep);
      return needed === undefined ? branch : { ...branch, redundantIfAsleep: needed };
    };
    return { ...node, awake: awake.map(foreseen) };
  }

  /**
   * All choices that are left after the branch and what its actor does. Undefined: there may be other ones, or one of them
   * would not sleep. `asleep`: the choices that may sleep.
   */
  private othersAfter(
    run: Run,
    at: number,
    { choice, footprint: effect }: SleepingChoice,
    asleep: readonly SleepingChoice[],
  ): readonly Choice[] | undefined {
    const isStep = choice.kind === 'step';
    if (!isStep && !CHANGES_NO_STEP.has(choice.kind)) return undefined;
    const decision = this.decisions[at];
    const own = isStep ? this.stepsToEnd(at, choice.actor) : [effect];
    if (decision === undefined || own === undefined || decision.isPaused) return undefined;
    const ended = isStep ? new Set([choice.actor]) : killedBy(run, choice);
    for (const [actor, status] of decision.statuses)
      if (!ended.has(actor) && status !== 'enabled' && status !== 'over') return undefined;
    const others = decision.steps.filter(({ actor }) => !ended.has(actor));
    const staysAsleep = (other: Choice): boolean => {
      const sleeping = asleep.find((one) => isSame(one.choice, other));
      return sleeping !== undefined && !own.some((step) => dependent(sleeping.footprint, step));
    };
    return others.length > 0 && others.every(staysAsleep) ? others : undefined;
  }

  /**
   * The steps of an actor from a position to its end, or until it waits for a lock. Undefined: right after this position it
   * may take others.
   */
  private stepsToEnd(at: number, actor: string): Footprint[] | undefined {
    const own: Footprint[] = [];
    const ofOthers: Footprint[] = [];
    for (const [i, made] of this.footprints.entries()) {
      const later = this.decisions[i + 1];
      if (i < at) continue;
      if (later === undefined || later.isLater) return undefined;
      if (made.actor !== actor) {
        ofOthers.push(made);
        continue;
      }
      const commutes = (step: Footprint): boolean => !ofOthers.some((other) => dependent(other, step));
      if (this.choices[i]?.kind !== 'step' || !commutes(made)) return undefined;
      own.push(made);
      const status = later.statuses.get(actor);
      if (status === 'enabled') continue;
      const isLast = status === 'over' || (typeof status === 'object' && commutes(status));
      return isLast ? own : undefined;
    }
    return undefined;
  }
}

function statusOf(run: Run, name: string, steps: readonly ActorChoice[]): Status {
  const enabled = steps.filter(({ actor }) => actor === name);
  if (enabled.length > 0) return enabled.every(({ kind }) => kind === 'step') ? 'enabled' : 'other';
  if (run.actor(name).outcome !== undefined) return 'over';
  const step: Choice = { kind: 'step', actor: name };
  const held = stepOf(run, step);
  return held !== undefined && isWaiting(held.step) ? footprint(run, step) : 'other';
}

/** The actors whose process a choice kills. */
function killedBy(run: Run, choice: Choice): ReadonlySet<string> {
  if (choice.kind !== 'kill') return new Set();
  const process = run.processes[choice.process - 1];
  return new Set(run.actors.filter((actor) => actor.process === process).map(({ name }) => name));
}
