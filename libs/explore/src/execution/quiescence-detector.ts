import {
  type Actor,
  isIdle,
  OutsideTheSeam,
  QueuedCommand,
  Unanswered,
  isQuiescent,
  hasNoStep,
  type InFlightStep,
  type ActorTask,
} from '../actors';
import { setTimeout as delay } from 'node:timers/promises';
import { Disturbed } from './disturbed';
import {
  executesOthers,
  forgetSession,
  lockNameIn,
  locksTables,
  requestsNamedLock,
  mayWaitForLock,
  within,
  type BlockedClients,
  type Sessions,
} from '../world';
import { Signal } from './signal';

/**
 * Milliseconds without an answer after which the server is asked whether a statement waits. Decides only when to ask:
 * a statement that the server does not report as waiting is never counted as blocked, however slow it is.
 */
const ASK_AFTER_MS = 3;

/** Checks, `ASK_AFTER_MS` apart, in which an actor may be busy without a step, for example with its own I/O. */
const MAX_BUSY_CHECKS = 400;

/** Milliseconds for which a wait in the memory of a process must last before it counts as one that never ends. */
const LASTING_MS = 1000;

/** Milliseconds without progress after which a statement that waits for no known lock ends the search: more than `Purge` takes. */
const UNANSWERED_MS = 60_000;

/** Turns, 1 ms apart, for which a pending short timer of foreign code is awaited; after that it is ignored. */
const MAX_PUT_OFF_TURNS = 20;

/** Checks in a row that find a short timer pending, after which the code counts as an endless loop. */
const MAX_PUT_OFF_CALLS = 100;

/** Detects quiescence: every actor is held, done, idle, or blocked in a server. */
export class QuiescenceDetector {
  private readonly signal = new Signal();
  private progress = 0;
  private progressAt = performance.now();
  /** Why the schedule cannot be continued. */
  private failure: Error | undefined;
  /** Checks in a row that find statements without a connection. */
  private poolChecks = 0;

  constructor(
    private readonly sessions: Sessions,
    private readonly blockedClients: BlockedClients,
    private readonly actors: readonly Actor[],
  ) {}

  /** Records progress of a task. */
  noteProgress(): void {
    this.progress++;
    this.progressAt = performance.now();
    this.poolChecks = 0;
    for (const { tasks } of this.actors) for (const task of tasks) task.idle = false; // the step may have resumed it: check again
    this.signal.fire();
  }

  /** A session may have released a lock: asks the server again about every waiting statement. */
  unblock(except?: InFlightStep): void {
    this.progress++; // invalidates a server answer that is already in flight
    for (const inFlightStep of this.inFlightSteps())
      if (inFlightStep !== except) inFlightStep.blocked = false;
  }

  /** A command may have ended a wait in Redis: asks the server again about every waiting command. */
  unblockRedis(except: InFlightStep): void {
    const waiting = this.inFlightSteps().filter(
      (inFlightStep) => inFlightStep !== except && inFlightStep.step.blocking !== undefined,
    );
    if (waiting.length === 0) return;
    this.progress++;
    for (const inFlightStep of waiting) inFlightStep.blocked = false;
  }

  /** The schedule cannot be continued: it is disturbed, or its code cannot be explored. `settle` throws the first reason. */
  fail(reason: Error): void {
    this.failure ??= reason;
  }

  /**
   * A statement is answered. A blocked statement is answered because of another statement, an ended session, or its
   * timeout. Without such a cause it was slow, not blocked, and the schedule is disturbed.
   */
  answered(inFlightStep: InFlightStep): void {
    inFlightStep.answered = true;
    const hasCause =
      inFlightStep.timedOut ||
      this.inFlightSteps().some((other) => other !== inFlightStep && !other.blocked) ||
      this.actors.some(({ connections }) => connections.abandoned.size > 0);
    if (inFlightStep.blocked && !hasCause)
      this.fail(new Disturbed(`${inFlightStep.step.text} counted as blocked but was answered`));
  }

  /** Resolves at quiescence. @throws the reason of `fail` */
  async settle(): Promise<void> {
    let attempts = 0;
    for (;;) {
      const next = this.signal.next();
      const { progress } = this;
      if (!this.allQuiescent()) await this.waitOrQueryServer(next);
      else {
        await new Promise(setImmediate); // concurrent steps of an actor arrive in one event loop turn
        if (
          progress === this.progress &&
          this.allQuiescent() &&
          !(await this.awaitAbandonedSessions()) &&
          !(await this.awaitShortTimers(++attempts))
        )
          break;
      }
    }
    const { failure } = this;
    this.failure = undefined; // throw once: the schedule still has to be cleaned up
    if (failure !== undefined) throw failure;
  }

  /**
   * Called when nothing can happen any more. An actor that seems to wait for another one of its process may wait for something that
   * the explorer does not see. `isNew`: no such wait of this actor has been awaited before.
   *
   * @throws OutsideTheSeam it goes on by itself
   */
  async confirmWaits(isNew: (actor: Actor) => boolean): Promise<void> {
    const waiting = this.actors.filter(
      (actor) =>
        actor.process.alive &&
        !actor.waitsForTimer &&
        !actor.waitsForMessage &&
        actor.requestWithoutStep !== undefined,
    );
    if (waiting.filter(isNew).length === 0) return;
    if ((await within(this.signal.next(), LASTING_MS)) === 'yes') throw new OutsideTheSeam(waiting);
  }

  /** The first statement, in the order of issue, that waits for a row. */
  get firstRowWait(): InFlightStep | undefined {
    return this.inFlightSteps()
      .filter(({ blocked, step }) => blocked && step.connection !== undefined && !requestsNamedLock(step))
      .sort((a, b) => a.number - b.number)[0];
  }

  /** Ends the wait of the first statement that waits for a row with a lock wait time-out. */
  async endLockWait(): Promise<void> {
    const first = this.firstRowWait;
    if (first?.step.connection === undefined) return;
    first.timedOut = true;
    first.blocked = false;
    await this.sessions.interrupt(first.step.connection);
    await this.settle();
  }

  /**
   * The server notices later than its client that a session is closed, and keeps its locks until then. True when
   * there was such a session.
   */
  private async awaitAbandonedSessions(): Promise<boolean> {
    const left = this.actors.flatMap(({ connections, holdings }) => {
      const threads = [...connections.abandoned];
      connections.abandoned.clear();
      for (const thread of threads) forgetSession(holdings, thread);
      return threads;
    });
    if (left.length === 0) return false;
    this.unblock();
    await this.sessions.waitUntilEnded(left);
    return true;
  }

  /**
   * Waits for short timers of foreign code (`PUTS_OFF_MS`), which run in real time, also while the request is held. True: they
   * have fired. A loop of such timers that waits for a later `Date.now()` never ends, because virtual time does not advance.
   */
  private async awaitShortTimers(attempt: number): Promise<boolean> {
    const isPutOff = (): boolean =>
      this.actors.some(
        ({ process: { alive, realm } }) =>
          alive && realm?.timers.virtual !== undefined && realm.timers.areRunning,
      );
    if (!isPutOff()) return false;
    if (attempt > MAX_PUT_OFF_CALLS)
      throw new OutsideTheSeam(
        this.actors.filter(({ process }) => process.realm?.timers.areRunning === true),
      );
    for (let turns = 0; isPutOff() && turns < MAX_PUT_OFF_TURNS; turns++) await delay(1);
    return !isPutOff();
  }

  private allQuiescent(): boolean {
    return this.actors.every((actor) => actor.tasks.every(isQuiescent));
  }

  private tasks(): ActorTask[] {
    return this.actors.flatMap(({ tasks }) => tasks);
  }

  private inFlightSteps(): InFlightStep[] {
    return this.actors.flatMap((actor) => actor.tasks.flatMap((task) => [...task.inFlightSteps]));
  }

  private async waitOrQueryServer(next: Promise<void>): Promise<void> {
    const open = this.inFlightSteps().filter(
      ({ step, blocked, timedOut, answered }) =>
        (step.kind === 'sql' || step.blocking !== undefined) && !blocked && !timedOut && !answered,
    );
    if (open.length === 0) return this.waitOrDetectIdle(next);
    const isLikely = open.some((inFlightStep) => this.isContended(inFlightStep));
    if (!isLikely && (await within(next, ASK_AFTER_MS)) === 'yes') return;
    this.refuseEmptyPools(open);
    const { progress } = this;
    const waiting = await this.sessions.waiting(
      open.flatMap(({ step }) =>
        step.connection === undefined ? [] : [{ thread: step.connection, lockName: lockNameIn(step) }],
      ),
      this.mayLockTables,
    );
    const inRedis = await this.blockedClients.waiting(
      open.flatMap(({ step: { blocking } }) => (blocking === undefined ? [] : [blocking])),
    );
    if (progress !== this.progress) return; // progress since the query may have unblocked them
    for (const inFlightStep of open) {
      const { connection, blocking } = inFlightStep.step;
      const isBlocked =
        (connection !== undefined && waiting.has(connection)) ||
        (blocking !== undefined && inRedis.has(blocking));
      if (isBlocked) inFlightStep.blocked = true;
    }
    const [unanswered] = open.filter(({ blocked }) => !blocked);
    if (unanswered !== undefined && performance.now() - this.progressAt > UNANSWERED_MS)
      throw new Unanswered(unanswered.step, UNANSWERED_MS);
  }

  /**
   * No SQL statement is in flight. When no other server has to answer, the actors that are not held run, or wait for
   * one another in the memory of a process, which the explorer cannot see.
   */
  private async waitOrDetectIdle(next: Promise<void>): Promise<void> {
    this.refuseQueuedCommands();
    const mayBeAsleep = this.actors
      .filter(({ waitsForTimer }) => waitsForTimer)
      .flatMap(({ tasks }) => tasks);
    const running = this.tasks().filter((task) => !isQuiescent(task));
    if (
      running.every((task) => hasNoStep(task) && mayBeAsleep.includes(task)) &&
      (await this.areIdle(running))
    )
      return; // the usual case: a polling loop that waits for its next try
    let retries = 0;
    while ((await within(next, ASK_AFTER_MS)) === 'no') {
      const active = this.tasks().filter((task) => !isQuiescent(task));
      if (!active.every(hasNoStep)) return next; // a server has to answer
      if (await this.areIdle(active)) return;
      const actors = this.actorsOf(active);
      if (actors.some(({ connections }) => connections.isConnecting())) continue; // its client has a time limit for that
      if (++retries > MAX_BUSY_CHECKS) throw new OutsideTheSeam(actors);
    }
  }

  /** @throws OutsideTheSeam when no statement has a connection for more than a second, and none is being opened: their pools have no free one */
  private refuseEmptyPools(open: readonly InFlightStep[]): void {
    const waiting = this.actorsOf(open.map(({ task }) => task));
    const areWaiting =
      open.every(({ step }) => step.connection === undefined && step.blocking === undefined) &&
      !waiting.some(({ connections }) => connections.isConnecting());
    this.poolChecks = areWaiting ? this.poolChecks + 1 : 0;
    if (this.poolChecks > MAX_BUSY_CHECKS) throw new OutsideTheSeam(waiting);
  }

  /** @throws QueuedCommand when a command was sent behind a blocked one on the same connection: Redis does not answer it until that wait ends. */
  private refuseQueuedCommands(): void {
    const inFlightSteps = this.inFlightSteps();
    for (const { step } of inFlightSteps)
      if (inFlightSteps.some((first) => first.step === step.behind && first.blocked))
        throw new QueuedCommand(step, step.behind?.text ?? '');
  }

  /** Marks tasks that cannot continue by themselves as idle, and returns true; false: they may run, or one has made progress. */
  private async areIdle(active: readonly ActorTask[]): Promise<boolean> {
    const { progress } = this;
    if (!(await isIdle(this.actorsOf(active), this.actors)) || progress !== this.progress) return false;
    for (const task of active) task.idle = task.wasIdle = true;
    return true;
  }

  private actorsOf(tasks: readonly ActorTask[]): Actor[] {
    return this.actors.filter((actor) => actor.tasks.some((task) => tasks.includes(task)));
  }

  /** A session holds locks of tables, or requests them: otherwise no statement waits for a table. */
  private get mayLockTables(): boolean {
    return (
      this.inFlightSteps().some(({ step }) => locksTables(step) || executesOthers(step)) ||
      this.actors.some(({ holdings }) => holdings.tables.size > 0)
    );
  }

  /** The statement requests a lock while another session holds some: it probably waits. */
  private isContended({ step }: InFlightStep): boolean {
    if (step.blocking !== undefined) return true;
    return (
      step.connection !== undefined &&
      mayWaitForLock(step) &&
      this.actors.some((actor) =>
        [...actor.holdings.rows, ...actor.holdings.names, ...actor.holdings.tables].some(
          (session) => session !== step.connection,
        ),
      )
    );
  }
}
