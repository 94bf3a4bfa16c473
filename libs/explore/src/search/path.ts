import { isWaiting } from '../actors';
import type { Run } from '../execution';
import { faultsOn, stepOf, type Choice, type Enabled, type StepFault } from '../schedule';
import { footprint, type Footprint } from './footprint';

/**
 * What an actor can do at a decision:
 * - a next step: it is enabled, and no step of a timer; or it waits for a lock. Of a dead process: the statement in flight
 * - `over`: its request has ended
 * - `dead`: its process has ended
 * - `blocked`: its statement waits for a lock in the database
 * - `other`: anything else
 */
export type Status = NextStep | 'over' | 'dead' | 'blocked' | 'other';

export interface NextStep {
  readonly footprint: Footprint;
  readonly isEnabled: boolean;
  /** The faults that can hit it. */
  readonly faults: readonly StepFault[];
}

/** What is possible at a decision. */
export interface Decision {
  /** By the names of the actors. */
  readonly statuses: Readonly<Record<string, Status>>;
  /** A paused process can resume. */
  readonly isPaused: boolean;
  /** See `Enabled`. */
  readonly isLater: boolean;
}

/** No paused process can resume, and no timer can take a step. */
export const hasOnlySteps = ({ statuses, isPaused }: Decision): boolean =>
  !isPaused && !Object.values(statuses).includes('other');

/** What a schedule shows from a position on. Plain data: workers send it as a message. */
export interface Path {
  /** The position of the first decision and choice. */
  readonly from: number;
  /** The decision before each choice, and the last one, at which no choice is left. */
  readonly decisions: readonly Decision[];
  /** Of each choice. */
  readonly footprints: readonly Footprint[];
}

/** Records the decisions of a schedule from a position on, and what all its choices access. */
export class PathRecorder {
  private readonly decisions: Decision[] = [];
  private readonly footprints: Footprint[] = [];
  private readonly choices: Choice[] = [];

  constructor(private readonly from: number) {}

  /** Called at each decision. */
  look(run: Run, { steps, resumes, isLater }: Enabled): void {
    if (this.choices.length < this.from) return;
    this.decisions.push({
      statuses: Object.fromEntries(run.actors.map(({ name }) => [name, statusOf(run, name, steps)])),
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

  get path(): Path {
    const { from, decisions, footprints } = this;
    return { from, decisions, footprints: footprints.slice(from) };
  }
}

function statusOf(run: Run, name: string, steps: Enabled['steps']): Status {
  const enabled = steps.filter(({ actor }) => actor === name);
  const [first, ...others] = enabled;
  if (first !== undefined)
    return others.length === 0 && first.kind !== 'timer-step' ? nextStep(run, first, true) : 'other';
  const { outcome, blocked, process } = run.actor(name);
  if (outcome !== undefined) return process.alive ? 'over' : 'dead';
  if (!process.alive || process.paused) return 'other';
  if (blocked) return 'blocked';
  const step: Choice = { kind: 'step', actor: name };
  const held = stepOf(run, step);
  return held !== undefined && isWaiting(held.step) ? nextStep(run, step, false) : 'other';
}

function nextStep(run: Run, choice: Choice, isEnabled: boolean): NextStep {
  const held = stepOf(run, choice);
  return {
    footprint: footprint(run, choice),
    isEnabled,
    faults: held === undefined || choice.kind === 'arrival' ? [] : faultsOn(held.step),
  };
}
