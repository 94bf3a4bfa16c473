import { fileOf } from '#lab/strategy';
import type { ScheduleHistory, ScheduleVerdict, ScheduleViolationKind } from '#lab/verdict';
import type { Actor } from '../actors';
import type { Run } from '../execution';
import {
  advanceTime,
  apply,
  checkLetter,
  choiceText,
  close,
  continuation,
  describeChoice,
  enabledSteps,
  isSame,
  NoLongerReproduces,
  resumes,
  retryIfDisturbed,
  strategyHash,
  type Choice,
  type ScheduleToken,
} from '../schedule';
import type { Setup, World } from '../world';
import { controlsOf, type Control } from './control';
import { beginningOf, CodePosition, type SourcePosition } from './source-position';

/** One actor, between two choices. */
export interface ActorView {
  readonly name: string;
  /** Number of its process, from 1. */
  readonly process: number;
  readonly alive: boolean;
  /** Redis is unreachable from its process. */
  readonly cut: boolean;
  /** `APPLIED` or an error code; absent while it runs. */
  readonly outcome?: string;
  /** The step that it issues next, or that waits in the database. */
  readonly next?: { readonly kind: string; readonly text: string; readonly isInFlight: boolean };
  /** Where its code is, the innermost line first; after its end, that of its last step; empty: unknown. */
  readonly at: readonly SourcePosition[];
}

/** What is known between two choices. */
export interface ScheduleView {
  readonly setup: Setup;
  readonly actors: readonly ActorView[];
  readonly controls: readonly Control[];
  /** Virtual time, milliseconds. */
  readonly now: number;
  /** The events and the committed state so far. */
  readonly history: ScheduleHistory;
  /** While the schedule runs, only violations that no later step can undo. */
  readonly verdict: ScheduleVerdict;
  readonly isOver: boolean;
}

/** The choice is not enabled now. */
export class ChoiceNotEnabled extends Error {
  readonly code = 'EXPLORE.NOT_ENABLED';

  constructor(choice: Choice) {
    super(`"${choiceText(choice)}" is not enabled at this point of the schedule: choose another step`);
    this.name = 'ChoiceNotEnabled';
  }
}

/** Kinds that are certain as soon as they are seen: the others depend on how the schedule ends. */
const IRREVERSIBLE: ReadonlySet<ScheduleViolationKind> = new Set([
  'oversold',
  'lost-update',
  'overlap',
  'foreign-release',
  'foreign-renewal',
]);

/**
 * A schedule that a person makes, choice by choice. Between two choices every actor is held before its next step. Where
 * nothing is enabled, time advances, as in every schedule, so that the same choices make the same history in `replay`.
 */
export class InteractiveSchedule {
  private readonly made: Choice[] = [];
  private checks = '';
  private readonly positions: ReadonlyMap<string, CodePosition>;
  private end: Pick<ScheduleView, 'history' | 'verdict' | 'actors' | 'now'> | undefined;

  private constructor(
    private readonly run: Run,
    readonly setup: Setup,
  ) {
    const beginning = beginningOf(fileOf(setup.strategy));
    this.positions = new Map(run.actors.map(({ name }) => [name, new CodePosition(beginning)]));
  }

  /**
   * Begins a schedule and makes the given choices. Throws `NoLongerReproduces` when one of them is not enabled, or concerns
   * another step than its check says.
   */
  static begin(
    world: World,
    setup: Setup,
    { choices, checks }: Pick<ScheduleToken, 'choices' | 'checks'> = { choices: [], checks: '' },
  ): Promise<InteractiveSchedule> {
    return retryIfDisturbed(world, setup, async (run) => {
      const schedule = new InteractiveSchedule(run, setup);
      await schedule.advance();
      await schedule.replay({ choices, checks });
      return schedule;
    });
  }

  get choices(): readonly Choice[] {
    return this.made;
  }

  /** Whether the first of these choices are the ones made, of the steps that their checks name. */
  isBeginningOf({ choices, checks }: Pick<ScheduleToken, 'choices' | 'checks'>): boolean {
    return (
      this.made.every((choice, i) => {
        const other = choices[i];
        return other !== undefined && isSame(choice, other);
      }) && Array.from(this.checks).every((check, i) => (checks[i] ?? check) === check)
    );
  }

  /** Makes those of the given choices that are missing, where `isBeginningOf` holds. Throws `NoLongerReproduces`. */
  async replay({ choices, checks }: Pick<ScheduleToken, 'choices' | 'checks'>): Promise<void> {
    for (const [i, choice] of choices.entries()) {
      if (i < this.made.length) continue;
      const check = checks.charAt(i);
      const what = describeChoice(this.run, choice);
      if (check !== '' && check !== checkLetter(what))
        throw new NoLongerReproduces(i + 1, `"${choiceText(choice)}" is now ${what}`);
      try {
        await this.choose(choice);
      } catch (error) {
        if (!(error instanceof ChoiceNotEnabled)) throw error;
        throw new NoLongerReproduces(i + 1, `"${choiceText(choice)}" is not enabled`);
      }
    }
  }

  /** Makes a choice. Throws `ChoiceNotEnabled`, and `Disturbed` when a server did not answer: begin again then. */
  async choose(choice: Choice): Promise<void> {
    const what = describeChoice(this.run, choice);
    if (this.end !== undefined || !(await apply(this.run, choice))) throw new ChoiceNotEnabled(choice);
    this.made.push(choice);
    this.checks += checkLetter(what);
    await this.advance();
  }

  /** Makes the remaining choices without a fault: the last actor continues until it blocks or ends, then the next one. */
  async finish(): Promise<void> {
    while (this.end === undefined) {
      const choice = continuation(this.made, { steps: enabledSteps(this.run), resumes: resumes(this.run) });
      if (choice === undefined) return;
      await this.choose(choice);
    }
  }

  async view(): Promise<ScheduleView> {
    const { run, setup, end } = this;
    if (end !== undefined) return { setup, ...end, controls: controlsOf(run, true), isOver: true };
    const history = await run.history(false);
    return {
      setup,
      actors: run.actors.map((actor) => this.actorView(actor)),
      controls: controlsOf(run, false),
      now: Math.round(run.clock.now),
      history,
      verdict: irreversible(run.subject.judge(history)),
      isOver: false,
    };
  }

  /** The token of the first `count` choices; all without `count`. */
  token(verdict: ScheduleVerdict, count = this.made.length): ScheduleToken {
    const isWhole = this.end !== undefined && count === this.made.length;
    return {
      setup: this.setup,
      choices: this.made.slice(0, count),
      checks: this.checks.slice(0, count),
      // a token states what its schedule shows when it is run to its end
      kinds: isWhole ? [...new Set(verdict.violations.map(({ kind }) => kind))] : [],
      hash: strategyHash(this.setup.strategy),
    };
  }

  /** Terminates the actors. The world can then be used for another schedule. */
  async close(): Promise<void> {
    if (this.end === undefined) await close(this.run);
  }

  private actorView(actor: Actor): ActorView {
    const [task] = actor.tasks;
    const inFlight = [...(task?.inFlightSteps ?? [])][0];
    const held = task?.held[0];
    const step = actor.outcome === undefined ? (inFlight?.step ?? held?.step) : undefined;
    return {
      name: actor.name,
      process: this.run.processes.indexOf(actor.process) + 1,
      alive: actor.process.alive,
      cut: actor.process.cut,
      ...(actor.outcome !== undefined && { outcome: actor.outcome }),
      ...(step !== undefined && {
        next: { kind: step.kind, text: step.text, isInFlight: inFlight !== undefined },
      }),
      at: this.positions.get(actor.name)?.at ?? [],
    };
  }

  private notePositions(): void {
    for (const { name, tasks } of this.run.actors)
      this.positions.get(name)?.moveTo(tasks[0]?.held[0]?.stacks ?? []);
  }

  /** Advances time while no step is enabled; ends the schedule when nothing can happen any more. */
  private async advance(): Promise<void> {
    const { run } = this;
    for (;;) {
      this.notePositions();
      if (enabledSteps(run).length + resumes(run).length > 0) return;
      if (await advanceTime(run)) continue;
      const actors = run.actors.map((actor) => this.actorView(actor)); // before the unfinished ones are terminated
      const history = await close(run);
      this.end = { history, verdict: run.subject.judge(history), actors, now: Math.round(run.clock.now) };
      return;
    }
  }
}

const irreversible = ({ violations, sold }: ScheduleVerdict): ScheduleVerdict => ({
  violations: violations.filter(({ kind }) => IRREVERSIBLE.has(kind)),
  sold,
});
