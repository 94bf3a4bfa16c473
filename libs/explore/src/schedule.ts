import type { StepInfo } from '#lab/step';
import { DEFAULT_OPTIONS, type Options, type Strategy } from '#lab/strategy';
import { judgeSchedule, type ScheduleHistory, type ScheduleVerdict } from '#lab/verdict';
import type { Actor } from './actor';
import { finishAll } from './ending';
import * as faults from './faults';
import { Run } from './run';
import type { Held } from './strand';
import type { World } from './world';

/** Time is virtual, so that long leases cost nothing; short ones could end in real time. Milliseconds. */
export const EXPLORE_OPTIONS: Options = { ...DEFAULT_OPTIONS, leaseMs: 10_000, waitMs: 30_000 };
export const LEAST_LEASE_MS = 5000;

/** Where an actor is to stop: before or after a step. */
export interface Mark {
  readonly when: 'before' | 'after';
  readonly name: string;
  readonly matches: (step: StepInfo) => boolean;
}

const mark =
  (when: Mark['when']) =>
  (name: string): Mark => ({
    when,
    name: `${when}(${name})`,
    matches: ({ verb, script, text }) => verb === name || script === name || text.startsWith(name),
  });

/** `before('UPDATE')`: a verb, the name of a Lua script, or how the command begins. */
export const before = mark('before');
/** `after('SET')`: as `before`, when the step was answered and the actor is held at its next one. */
export const after = mark('after');

/** One buyer, as a schedule written by hand moves it. */
export class Player {
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

  /** Steps until `mark`; throws when it cannot get there. */
  async runUntil(there: Mark): Promise<void> {
    if (!(await this.runTowards(there)))
      throw new Error(`${this.actor.name} never gets to ${there.name}: ${this.whereabouts()}`);
  }

  /** Steps until `mark`, or until it waits for another one or ends: then false. */
  async runTowards({ when, matches }: Mark): Promise<boolean> {
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
    if (held === undefined) throw new Error(`${this.actor.name} cannot move: ${this.whereabouts()}`);
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

  private held(): Held | undefined {
    return this.actor.held.find((held) => this.run.canMove(held));
  }

  private whereabouts(): string {
    const { outcome, held, blocked } = this.actor;
    if (outcome !== undefined) return `it ended with ${outcome}`;
    if (blocked) return 'it waits in the database';
    return held[0] === undefined ? 'it is not held anywhere' : `it is held before ${held[0].step.text}`;
  }
}

/** A schedule written by hand: `const { A, B } = s; await A.runUntil(after('SET')); await s.lapse(); …`. */
export class Schedule {
  private constructor(readonly run: Run) {}

  /** `processes`: where A, B and perhaps C live. */
  static async begin(
    world: World,
    strategy: Strategy,
    {
      options = {},
      stock = 1,
      processes = ['p1', 'p2'],
    }: { options?: Partial<Options>; stock?: number; processes?: readonly string[] } = {},
  ): Promise<Schedule> {
    const all = { ...EXPLORE_OPTIONS, ...options };
    return new Schedule(await Run.begin(world, { strategy, options: all, stock, processes }));
  }

  get A(): Player {
    return this.player(0);
  }

  get B(): Player {
    return this.player(1);
  }

  get C(): Player {
    return this.player(2);
  }

  /** Time moves to the end of a lease; false when the key did not end, or there is none. */
  lapse(key?: string): Promise<boolean> {
    return faults.lapse(this.run, key);
  }

  flush(): Promise<void> {
    return faults.flush(this.run);
  }

  /** Lets everybody finish, and judges what came of it. */
  async end(): Promise<{ history: ScheduleHistory; verdict: ScheduleVerdict }> {
    const history = await finishAll(this.run);
    return { history, verdict: judgeSchedule(history) };
  }

  private player(i: number): Player {
    const actor = this.run.actors[i];
    if (actor === undefined) throw new Error(`this schedule has only ${this.run.actors.length} actors`);
    return new Player(this.run, actor);
  }
}
