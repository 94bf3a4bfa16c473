import type { StepInfo } from '#lab/step';
import type { Actor, HeldStep } from '../actors';
import * as faults from '../faults';
import type { Run } from '../execution';

/** A point before or after a step, at which an actor stops. */
export interface Breakpoint {
  readonly when: 'before' | 'after';
  readonly name: string;
  readonly matches: (step: StepInfo) => boolean;
}

const breakpoint =
  (when: Breakpoint['when']) =>
  (name: string): Breakpoint => ({
    when,
    name: `${when}(${name})`,
    matches: ({ verb, script, text }) => verb === name || script === name || text.startsWith(name),
  });

/** `before('UPDATE')`: a verb, the name of a Lua script, or a prefix of the command. */
export const before = breakpoint('before');
/** `after('SET')`: as `before`, when the step is answered and the actor is held at its next step. */
export const after = breakpoint('after');

/** Drives one buyer in a hand-written schedule. */
export class ActorDriver {
  constructor(
    private readonly run: Run,
    readonly actor: Actor,
  ) {}

  get outcome(): string | undefined {
    return this.actor.outcome;
  }

  /** The step at which it is held, enabled or not. */
  get next(): StepInfo | undefined {
    return this.actor.held[0]?.step;
  }

  /** True when it has an enabled step. */
  get canMove(): boolean {
    return this.held() !== undefined;
  }

  /** Steps until the breakpoint; throws when the actor cannot reach it. */
  async runUntil(there: Breakpoint): Promise<void> {
    if (!(await this.runTowards(there)))
      throw new Error(`${this.actor.name} does not reach ${there.name}: ${this.position()}`);
  }

  /** Steps until the breakpoint. False when the actor blocks or ends first. */
  async runTowards({ when, matches }: Breakpoint): Promise<boolean> {
    for (let held = this.held(); held !== undefined; held = this.held()) {
      const there = matches(held.step);
      if (when === 'before' && there) return true;
      await this.run.release(held);
      if (when === 'after' && there && !this.actor.blocked) return true;
    }
    return false;
  }

  async step(): Promise<void> {
    const held = this.held();
    if (held === undefined) throw new Error(`${this.actor.name} has no enabled step: ${this.position()}`);
    await this.run.release(held);
  }

  /** Steps until the actor ends or blocks. */
  async finish(): Promise<void> {
    for (let held = this.held(); held !== undefined; held = this.held()) await this.run.release(held);
  }

  kill(): Promise<void> {
    return faults.kill(this.run, this.actor.process);
  }

  loseHost(): Promise<void> {
    return faults.loseHost(this.run, this.actor.process);
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

  /** Its step takes longer than its lease; the timers of its process keep running. */
  slow(): Promise<void> {
    return faults.slow(this.run, this.actor);
  }

  /** Its next step fails unsent, or is executed and its reply is lost. */
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
    if (blocked) return 'it is blocked in the database';
    return held[0] === undefined ? 'it is not held anywhere' : `it is held before ${held[0].step.text}`;
  }
}
