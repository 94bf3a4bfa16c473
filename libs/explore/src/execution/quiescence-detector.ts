import {
  type Actor,
  isIdle,
  OutsideTheSeam,
  isQuiescent,
  isSilent,
  type InFlightStep,
  type ActorTask,
} from '../actors';
import { Disturbed } from './disturbed';
import { type Sessions, asksForLock, lockNameIn } from '../world';
import { Signal } from './signal';

/**
 * After so many milliseconds without an answer the server is asked whether a statement waits. The number decides only when
 * the server is asked: a statement that does not wait there is expected to be answered, however long that takes.
 */
const ASK_AFTER_MS = 3;

/** So often, with `ASK_AFTER_MS` in between, an actor may be found busy without a step, for example with I/O of its own. */
const MOST_SILENCE = 1000;

/** Knows when nothing will happen by itself: every actor is held, done, or waits for another one in a server. */
export class QuiescenceDetector {
  private readonly signal = new Signal();
  private moves = 0;
  private disturbance: Disturbed | undefined;

  constructor(
    private readonly sessions: Sessions,
    private readonly actors: readonly Actor[],
  ) {}

  /** Something happened. */
  moved(): void {
    this.moves++;
    for (const task of this.idle()) task.idle = false; // the step may have let it go: it is looked at again
    this.signal.fire();
  }

  /** A session may have freed a lock: the server is asked again about every statement that waits. */
  unblock(except?: InFlightStep): void {
    this.moves++; // an answer of the server that is on its way describes the state before
    for (const inFlightStep of this.inFlightSteps())
      if (inFlightStep !== except) inFlightStep.blocked = false;
  }

  /** The schedule proves nothing: `settle` throws. The first reason counts. */
  disturb(reason: Disturbed): void {
    this.disturbance ??= reason;
  }

  /**
   * A statement is answered. One that the server had said to wait is answered because of another statement, of a session
   * that ended, or of its time-out: otherwise it was taken as blocked and was only slow.
   */
  answered(inFlightStep: InFlightStep): void {
    const hasCause =
      inFlightStep.timedOut ||
      this.inFlightSteps().some((other) => other !== inFlightStep && !other.blocked) ||
      this.actors.some(({ connections }) => connections.abandoned.size > 0);
    if (inFlightStep.blocked && !hasCause)
      this.disturb(new Disturbed(`${inFlightStep.step.text} was taken as blocked, and was answered`));
  }

  /** Resolves when nothing will happen by itself. @throws Disturbed */
  async settle(): Promise<void> {
    for (;;) {
      const next = this.signal.next();
      const { moves } = this;
      if (!this.allQuiet()) await this.waitOrAsk(next);
      else {
        await new Promise(setImmediate); // steps that an actor makes at the same time arrive in one turn
        if (moves === this.moves && this.allQuiet() && !(await this.endAbandoned())) break;
      }
    }
    const { disturbance } = this;
    this.disturbance = undefined; // thrown once: the rest of the schedule must still be cleaned up
    if (disturbance !== undefined) throw disturbance;
  }

  /** The first statement that waits in the database, in the order in which they were sent, runs into its time-out. */
  async endLockWait(of: (inFlightStep: InFlightStep) => boolean): Promise<boolean> {
    const [first] = this.inFlightSteps()
      .filter((inFlightStep) => inFlightStep.blocked && of(inFlightStep))
      .sort((a, b) => a.number - b.number);
    const thread = first?.step.connection;
    if (first === undefined || thread === undefined) return false;
    first.timedOut = true;
    first.blocked = false;
    if (lockNameIn(first.step) === undefined) await this.sessions.interrupt(thread);
    await this.settle();
    return true;
  }

  /**
   * The server notices later than its client that a session is over, and keeps what it holds until then. True when there
   * was one.
   */
  private async endAbandoned(): Promise<boolean> {
    const left = this.actors.flatMap(({ connections, holdings }) => {
      const threads = [...connections.abandoned];
      connections.abandoned.clear();
      for (const held of [holdings.transactions, holdings.rows, holdings.names])
        for (const thread of threads) held.delete(thread);
      return threads;
    });
    if (left.length === 0) return false;
    this.unblock();
    await this.sessions.gone(left);
    return true;
  }

  private allQuiet(): boolean {
    return this.actors.every((actor) => actor.tasks.every(isQuiescent));
  }

  private tasks(): ActorTask[] {
    return this.actors.flatMap(({ tasks }) => tasks);
  }

  private idle(): ActorTask[] {
    return this.tasks().filter(({ idle }) => idle);
  }

  private inFlightSteps(): InFlightStep[] {
    return this.actors.flatMap((actor) => actor.tasks.flatMap((task) => [...task.inFlightSteps]));
  }

  private async waitOrAsk(next: Promise<void>): Promise<void> {
    const open = this.inFlightSteps().filter(
      ({ step, blocked, timedOut }) => step.kind === 'sql' && !blocked && !timedOut,
    );
    if (open.length === 0) return this.waitOrFindIdle(next);
    const isLikely = open.some((inFlightStep) => this.isContended(inFlightStep));
    if (!isLikely && (await within(next, ASK_AFTER_MS)) === 'yes') return;
    const { moves } = this;
    const waiting = await this.sessions.waiting(
      open.flatMap(({ step }) =>
        step.connection === undefined ? [] : [{ thread: step.connection, lockName: lockNameIn(step) }],
      ),
    );
    if (moves !== this.moves) return; // what happened meanwhile may have freed them
    for (const inFlightStep of open)
      if (inFlightStep.step.connection !== undefined && waiting.has(inFlightStep.step.connection))
        inFlightStep.blocked = true;
  }

  /**
   * No statement is under way. When no other server has to answer either, the actors that are not held run, or wait for
   * one another in the memory of a process, which the seam does not see.
   */
  private async waitOrFindIdle(next: Promise<void>): Promise<void> {
    const { moves } = this;
    for (let retries = 0; (await within(next, ASK_AFTER_MS)) === 'no'; retries++) {
      const restless = this.tasks().filter((task) => !isQuiescent(task));
      if (!restless.every(isSilent)) return next; // a server has to answer
      const silent = this.actors.filter(({ tasks }) => tasks.some((task) => restless.includes(task)));
      if ((await isIdle(silent, this.actors)) && moves === this.moves) {
        for (const task of restless) task.idle = task.waited = true;
        return;
      }
      if (retries > MOST_SILENCE) throw new OutsideTheSeam(silent.map(({ name }) => name));
    }
  }

  /** The statement asks for a lock while another session has some: it is likely to wait. */
  private isContended({ step }: InFlightStep): boolean {
    return (
      step.connection !== undefined &&
      asksForLock(step) &&
      this.actors.some((actor) =>
        [...actor.holdings.rows, ...actor.holdings.names].some((session) => session !== step.connection),
      )
    );
  }
}

function within(event: Promise<void>, ms: number): Promise<'yes' | 'no'> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      resolve('no');
    }, ms);
    void event.then(() => {
      clearTimeout(timer);
      resolve('yes');
    });
  });
}
