import type { Choice } from '../schedule';
import { whole } from './footprint';
import { advance, extend, noticedBy, sumOf, type Beginning } from './happened-before';
import type { NextStep, Path } from './path';

/** A next step of an actor that was seen. */
interface KnownStep extends NextStep {
  /** Identifies the earlier choices on which the step depends: those that decide what it accesses, and whether it is enabled. */
  readonly dependsOn: bigint;
}

/** For `KnownStep.dependsOn`. */
const dependsOn = (beginning: Beginning, { footprint }: NextStep): bigint =>
  sumOf(beginning, whole(footprint));

/** What an actor can do: the step that is enabled, or nothing, because its request has ended or waits. */
export type Next = NextStep | 'over' | 'waits';

/** About 200 MB. Above it nothing more is noted: later subtrees are run that could have been skipped. */
const MOST_KNOWN = 500_000;

/**
 * What the actors did in the schedules that a search has run, by what had happened before that they can notice. An actor does the
 * same in every other schedule in which the same has happened before.
 */
export class KnownSteps {
  /** By `noticedBy`. A set of steps: the lock for which a step waits may be free or not. */
  private readonly known = new Map<bigint, 'over' | 'waits' | KnownStep[]>();
  private steps = 0;
  /** An actor did something else after the same things had happened before: what is known must not be used. */
  isContradicted = false;

  constructor(private readonly most = MOST_KNOWN) {}

  /** Adds a schedule that continues a beginning. Returns the beginning before each of its choices. */
  add(
    beginning: Beginning,
    choices: readonly Choice[],
    { from, decisions, footprints }: Path,
  ): readonly Beginning[] {
    const beginnings: Beginning[] = [];
    let before = beginning;
    for (const [i, { statuses, isLater }] of decisions.entries()) {
      if (isLater && i > 0) before = advance(before); // the first decision is part of the beginning
      beginnings.push(before);
      const [choice, footprint] = [choices[from + i], footprints[i]];
      for (const [actor, status] of Object.entries(statuses)) {
        if (status === 'over' || status === 'blocked')
          this.noteEnd(noticedBy(before, actor), status === 'over' ? 'over' : 'waits');
        else if (status !== 'other' && status !== 'dead') this.noteStep(before, actor, status);
      }
      if (choice === undefined || footprint === undefined) break;
      before = extend(before, choice, footprint);
    }
    return beginnings;
  }

  private get isFull(): boolean {
    return this.known.size + this.steps >= this.most;
  }

  private noteEnd(noticed: bigint, end: 'over' | 'waits'): void {
    const known = this.known.get(noticed);
    if (known === undefined) {
      if (!this.isFull) this.known.set(noticed, end);
    } else if (known !== end) this.isContradicted = true;
  }

  private noteStep(before: Beginning, actor: string, next: NextStep): void {
    const noticed = noticedBy(before, actor);
    const found = dependsOn(before, next);
    const steps = this.known.get(noticed) ?? [];
    if (typeof steps === 'string') {
      this.isContradicted = true;
      return;
    }
    const known = steps.find((step) => step.dependsOn === found);
    if (known === undefined) {
      if (this.isFull) return;
      this.steps++;
      steps.push({ ...next, dependsOn: found });
      this.known.set(noticed, steps);
    } else if (known.isEnabled !== next.isEnabled) this.isContradicted = true;
  }

  /** What the actor can do after a beginning. Undefined: not known. */
  next(after: Beginning, actor: string): Next | undefined {
    const steps = this.known.get(noticedBy(after, actor));
    if (steps === undefined || typeof steps === 'string') return steps;
    const step = steps.find((known) => dependsOn(after, known) === known.dependsOn);
    return step?.isEnabled === false ? 'waits' : step;
  }
}
