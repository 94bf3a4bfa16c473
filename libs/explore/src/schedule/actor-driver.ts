import type { StepInfo } from '#lab/step';
import type { Actor, HeldStep } from '../actors';
import * as faults from '../faults';
import type { Run } from '../execution';

/** Where an actor is to stop: before or after a step. */
export interface Breakpoint {
  readonly when: 'before' | 'after';
  readonly name: string;
  readonly matches: (step: StepInfo) => boolean;
}

const mark =
  (when: Breakpoint['when']) =>
  (name: string): Breakpoint => ({
    when,
    name: `${when}(${name})`,
    matches: ({ verb, script, text }) => verb === name || script === name || text.startsWith(name),
  });

/** `before('UPDATE')`: a verb, the name of a Lua script, or how the command begins. */
export const before = mark('before');
/** `after('SET')`: as `before`, when the step was answered and the actor is held at its next one. */
export const after = mark('after');

/** One buyer, as a schedule written by hand moves it. */
export class ActorDriver {
  constructor(
    private readonly run: Run,
    readonly actor: Actor,
  ) {}

  get outcome(): string | undefined {
    return this.actor.outcome;
  }

  /** The step before which it is held, whether or not it could go on. */
  get next(): StepInfo | undefined {
    return this.actor.held[0]?.step;
  }

  /** Whether it could take a step now. */
  get canMove(): boolean {
    return this.held() !== undefined;
  }

  /** Steps until `mark`; throws when it cannot get there. */
  async runUntil(there: Breakpoint): Promise<void> {
    if (!(await this.runTowards(there)))
      throw new Error(`${this.actor.name} never gets to ${there.name}: ${this.position()}`);
  }

  /** Steps until `mark`, or until it waits for another one or ends: then false. */
  async runTowards({ when, matches }: Breakpoint): Promise<boolean> {
    for (let held = this.held(); held !== undefined; held = this.held()) {
      const there = matches(held.step);
      if (when === 'before' && there) return true;
      await this.run.release(held);
      if (when === 'after' && there && !this.actor.blocked) return true;
    }
    return false;
  }

  /** One step. */
  async step(): Promise<void> {
    const held = this.held();
    if (held === undefined) throw new Error(`${this.actor.name} cannot move: ${this.position()}`);
    await this.run.release(held);
  }

  /** As far as it gets: to its end, or until it waits for another one. */
  async finish(): Promise<void> {
    for (let held = this.held(); held !== undefined; held = this.held()) await this.run.release(held);
  }

  kill(): Promise<void> {
    return faults.kill(this.run, this.actor.process);
  }

  pause(): void {
    faults.pause(this.run, this.actor.process);
  }

  resume(): Promise<void> {
    return faults.resume(this.run, this.actor.process);
  }

  cut(): void {
    faults.cut(this.run, this.actor.process);
  }

  /** Its step takes longer than its lease, in a process that is well. */
  slow(): Promise<void> {
    return faults.slow(this.run, this.actor);
  }

  /** Its next step fails without being sent, or is executed and its reply is lost. */
  async stepWith(fault: 'error' | 'lose-reply'): Promise<void> {
    const held = this.held();
    if (held !== undefined) await this.run.release(held, fault);
  }

  private held(): HeldStep | undefined {
    return this.actor.held.find((held) => this.run.isEnabled(held));
  }

  private position(): string {
    const { outcome, held, blocked } = this.actor;
    if (outcome !== undefined) return `it ended with ${outcome}`;
    if (blocked) return 'it waits in the database';
    return held[0] === undefined ? 'it is not held anywhere' : `it is held before ${held[0].step.text}`;
  }
}
