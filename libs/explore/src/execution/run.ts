import { messageOf, observe, type Clock, type Scope } from '#lab/step';
import type { ScheduleHistory } from '#lab/verdict';
import {
  Actor,
  ActorProcess,
  arrive,
  startTask,
  subjectOf,
  type Outcome,
  type Subject,
  isWaiting,
  type ReleaseMode,
  type HeldStep,
  type ActorTask,
  withVirtualDate,
  type ReadableClock,
  CalledExit,
  VirtualClock,
  VirtualTimers,
  type Timer,
  ProcessDied,
} from '../actors';
import { EventLog } from './event-log';
import {
  PubSubInbox,
  type LockStore,
  type Setup,
  forgetSession,
  forgetSessions,
  ACTOR_NAMES,
  type World,
} from '../world';
import { StepGate } from './step-gate';
import { LockTracker } from './lock-tracker';
import { QuiescenceDetector } from './quiescence-detector';

/**
 * Retries allowed before the wait times out. Two waiters whose attempts change the key (take it, fail to take the
 * second half, release it) would otherwise wake each other without end, and time would never advance.
 */
const MAX_RETRIES = 8;
/** Lower for a lock in several parts: each attempt is many steps and multiplies the schedules. */
const MAX_RETRIES_OF_PARTS = 1;

/** Process ids are the same in every run, because a strategy may put them into its commands. */
const FIRST_PID = 101;

/** One running schedule: actors whose steps are held until they are released one by one. */
export class Run {
  readonly clock = new VirtualClock();
  /**
   * Code has read the clock or has set a timer, and no footprint says so: what it does next may depend on the time. Foreign code,
   * wherever it does; the lab's own code, behind a step that is independent of the end of a lease.
   */
  hasReadClock = false;
  /** The actors whose last step is independent of the end of a lease. The search sets it. */
  readonly timeless = new Set<string>();
  /** A command of its actors over a client that is not observed, at the end of the run. */
  unobserved: string | undefined;
  private readonly codeClock: ReadableClock;
  readonly locks: LockTracker;
  readonly eventLog = new EventLog(this.clock);
  readonly inbox: PubSubInbox;
  readonly actors: readonly Actor[];
  readonly processes: readonly ActorProcess[];
  /** Servers that are unreachable for all processes. */
  readonly unreachableServers = new Set<string>();
  /** Servers that a step has written to since their last flush. */
  readonly written = new Set<string>();
  private readonly quiescence: QuiescenceDetector;
  private readonly gate: StepGate;
  private readonly ends: (Outcome & { actor: string })[] = [];
  /** Processes that an unhandled error of their code ends, with the error. */
  private readonly crashing = new Map<ActorProcess, unknown>();

  private constructor(
    readonly world: World,
    readonly setup: Setup,
    readonly subject: Subject,
  ) {
    const { clock } = this;
    const hasOwnDate = subject.file !== undefined; // without a file, code reads the global one, as clients do
    this.codeClock = {
      get now() {
        return clock.now;
      },
      noteRead: (by) => {
        if (subject.isForeign === true && (by === 'realm' || !hasOwnDate)) this.hasReadClock = true;
      },
    };
    this.inbox = new PubSubInbox(world.pubSub);
    this.processes = [...new Set(setup.processes)].map(
      (name, i) => new ActorProcess(name, FIRST_PID + i, subject, this.inbox),
    );
    if (subject.isForeign === true)
      for (const { realm } of this.processes)
        if (realm !== undefined)
          realm.timers.virtual = new VirtualTimers(
            this.clock,
            setup.options,
            () => this.locks.changes,
            () => {
              this.hasReadClock = true;
            },
          );
    this.actors = setup.processes.map((process, i) => {
      const connections = world.connectionsOfActors[i];
      const name = ACTOR_NAMES[i];
      if (connections === undefined || name === undefined)
        throw new RangeError('a schedule has at most three actors');
      return new Actor(name, this.process(process), connections, subject.carts?.[i]);
    });
    this.locks = new LockTracker(
      this.actors.map(({ name }) => name),
      this.parts,
    );
    this.quiescence = new QuiescenceDetector(world.sessions, world.blockedClients, this.actors);
    this.gate = new StepGate({
      lockStores: this.lockStores,
      markUsed: (store) => {
        this.written.add(store.name);
        world.markUsed(store);
      },
      unreachableServers: this.unreachableServers,
      declaresKeys: subject.declaresKeys === true,
      options: setup.options,
      clock: this.clock,
      locks: this.locks,
      eventLog: this.eventLog,
      quiescence: this.quiescence,
      inbox: this.inbox,
      pulse: world.pulse,
      blockedClients: world.blockedClients,
      sessions: world.sessions,
      purge: world.purge,
      tables: world.tables,
      showingMore: world.showingMore,
      openSessions: () => this.actors.flatMap((actor) => [...actor.openSessions()]),
      receiveMessages: async () => {
        for (const { connections } of this.subscribers) await connections.own?.receiveMessages();
      },
      keepsStacks: world.options.keepsStacks === true,
    });
  }

  /** The stores that may hold a lock of the subject. */
  get lockStores(): readonly LockStore[] {
    return this.subject.lockStores;
  }

  /** Number of stores that have a part of one lock. */
  get parts(): number {
    return this.subject.about.parts ?? 1;
  }

  /** Redis servers of this strategy besides the lab's own: voters, or a primary. */
  get ownRedises(): readonly LockStore[] {
    return this.lockStores.filter(({ component, pipelined }) => component !== undefined && pipelined);
  }

  /** The actors that may receive a message of Redis at any time. */
  get subscribers(): readonly Actor[] {
    return this.actors.filter(({ waitsForMessage }) => waitsForMessage);
  }

  /** Resets the servers and starts the actors; each is held at its first step. */
  static async begin(world: World, setup: Setup): Promise<Run> {
    const subject = subjectOf(setup, world);
    const prepared = await subject.prepare();
    const run = new Run(world, setup, subject);
    run.eventLog.hasStrictReads = subject.hasInvariants === true && world.readsStrictly;
    if (prepared !== undefined) run.locks.update('', prepared, run.clock.now);
    await run.requestEarlier();
    if (subject.declaresKeys !== true) {
      world.purge.begin();
      await world.tables.begin();
    }
    if (subject.hasClients === true) world.beginSocketWatch();
    for (const actor of run.actors) run.start(actor);
    await run.settle();
    return run;
  }

  /** Makes the requests before the schedule, and notes the expiry of what they leave. */
  private async requestEarlier(): Promise<void> {
    const { earlier } = this.subject;
    const connections = this.actors[0]?.connections;
    if (earlier === undefined || connections === undefined) return;
    for (const at of earlier.at) {
      this.clock.moveTo(at);
      const restored = this.lockStores.map((store) => {
        const leases = this.locks.leases(store.name, at);
        return store.restore?.(connections, leases) ?? Promise.resolve(leases);
      });
      await Promise.all(restored);
      await earlier.request(connections, at);
      for (const [i, store] of this.lockStores.entries())
        this.locks.update(store.name, await store.read(connections, restored[i]), at);
    }
    this.clock.moveTo(earlier.startsAt);
  }

  process(name: string): ActorProcess {
    const found = this.processes.find((process) => process.name === name);
    if (found === undefined) throw new Error(`there is no process "${name}"`);
    return found;
  }

  actor(name: string): Actor {
    const found = this.actors.find((actor) => actor.name === name);
    if (found === undefined) throw new Error(`there is no actor "${name}"`);
    return found;
  }

  actorsOf(process: ActorProcess): readonly Actor[] {
    return this.actors.filter((actor) => actor.process === process);
  }

  /** True when another actor is in the process of this one. */
  sharesProcess(actor: Actor): boolean {
    return this.actors.some((other) => other !== actor && other.process === actor.process);
  }

  /** Called when nothing can happen any more. Throws when an actor waits for something that the explorer does not see. */
  confirmWaits(): Promise<void> {
    const { strategy } = this.setup;
    return this.orAbandon(
      this.quiescence.confirmWaits(({ name, lastStep }) =>
        this.world.isNew(`${strategy.name} ${name} ${lastStep.split(' ', 1).join('')}`),
      ),
    );
  }

  private async orAbandon(done: Promise<void>): Promise<void> {
    try {
      await done;
    } catch (error) {
      await this.abandon();
      throw error;
    }
  }

  /** Resolves when every actor is held, done, or blocked. */
  async settle(): Promise<void> {
    await this.orAbandon(this.quiescence.settle());
    // two requests that end together, because one unblocked the other, are recorded in the order of their names
    this.ends.sort((a, b) => (a.actor < b.actor ? -1 : 1));
    for (const { actor, ...outcome } of this.ends.splice(0)) this.eventLog.end(actor, outcome);
    const [crash] = this.crashing;
    if (crash === undefined) return;
    this.crashing.delete(crash[0]);
    await this.crash(...crash);
  }

  /** Ends a process as Node does after an unhandled error, or as its code has asked for. */
  private async crash(process: ActorProcess, error: unknown): Promise<void> {
    if (process.alive) {
      process.alive = false;
      process.unhandled = error;
      const why = messageOf(error);
      const ends = error instanceof CalledExit ? 'ends' : 'ends with an unhandled error';
      this.eventLog.fault('kill', process.name, `${process.name} ${ends}: ${why}`);
      await this.oneByOne(process, (actor) => this.terminate(actor));
    }
    await this.settle();
  }

  /** A statement waits for a row. */
  get hasRowWait(): boolean {
    return this.quiescence.firstRowWait !== undefined;
  }

  /** Ends the first row lock wait with the time-out error. The database's own timeout is longer than any schedule. */
  async endLockWait(): Promise<void> {
    await this.quiescence.endLockWait();
    await this.settle();
  }

  /** True when the step is enabled. */
  isEnabled(held: HeldStep): boolean {
    const { step, task } = held;
    const actor = this.actor(task.actor);
    const { process } = actor;
    if (actor.orphanedStep !== undefined) return true;
    if (!process.alive || process.paused) return false;
    if (step.kind === 'local' && step.key !== undefined) {
      const isFree = !process.local.isLocked(step.key);
      if (!isFree) held.wasDelayed = true;
      return isFree;
    }
    if (!isWaiting(step) || step.key === undefined) return true;
    const isNotified = step.until?.event.isSet ?? this.locks.mayTake(actor.name, step.key);
    const maxRetries = this.parts > 1 ? MAX_RETRIES_OF_PARTS : MAX_RETRIES;
    return (isNotified && actor.retries < maxRetries) || this.clock.now >= this.dueAt(held);
  }

  /** True when running code may notice that time advances: it reads the clock, a timer is set, or a session may end. */
  get hasTimeouts(): boolean {
    return (
      this.hasReadClock ||
      this.clock.hasTimers ||
      this.lockStores.some(({ heartbeats }) => heartbeats === true)
    );
  }

  /** Virtual time at which a WAIT ends: after its own duration, or when the polling waiter gives up. */
  dueAt({ task, step: { until }, since }: HeldStep): number {
    const { waiting } = this.actor(task.actor);
    return until === undefined ? (waiting?.until ?? since + this.setup.options.waitMs) : since + until.ms;
  }

  /** Releases a held step; resolves at quiescence. */
  async release(held: HeldStep, mode: ReleaseMode = 'issue'): Promise<void> {
    if (isWaiting(held.step)) this.actor(held.task.actor).retries++;
    held.release(mode);
    await this.settle();
  }

  /** Fires a timer. With `auto` its steps are issued as they come; otherwise they are held like all others. */
  async fire(timer: Timer, auto: boolean): Promise<void> {
    const actor = this.actor(timer.actor);
    const request = this.subject.isForeign === true ? actor.requestWithoutStep : undefined;
    if (request !== undefined) return this.continue(actor, request, timer);
    const task = startTask(actor, { auto, isTimer: true });
    timer.running = true;
    this.clock.fired(timer);
    const scope = this.scopeOf(actor, task);
    void withVirtualDate(this.codeClock, () => observe(scope, async () => timer.run()))
      .catch((error: unknown) => {
        // a tick of ours that throws is a missed tick, as with the real clock
        if (this.subject.isForeign === true) this.crashing.set(actor.process, error);
      })
      .finally(() => {
        timer.running = false;
        task.done = true;
        this.quiescence.noteProgress();
      });
    await this.settle();
  }

  /** Fires a timer that the request waits for: the steps behind it are steps of the request. */
  private async continue(actor: Actor, task: ActorTask, timer: Timer): Promise<void> {
    this.clock.fired(timer);
    void withVirtualDate(this.codeClock, () => observe(this.scopeOf(actor, task), async () => timer.run()))
      .catch((error: unknown) => this.crashing.set(actor.process, error))
      .finally(() => {
        this.quiescence.noteProgress();
      });
    await this.settle();
  }

  /**
   * Ends what the actors of a process hold, actor by actor: a statement that waits for a lock of the first one is answered
   * before its own session ends. Otherwise the speed of the server would decide whether it is.
   */
  async oneByOne(process: ActorProcess, end: (actor: Actor) => Promise<void>): Promise<void> {
    for (const actor of this.actorsOf(process)) {
      await end(actor);
      await this.settle();
    }
  }

  /**
   * The recorded events and the final state of the servers. With `reset` the servers are reset in the same round
   * trip.
   */
  async history(reset: boolean): Promise<ScheduleHistory> {
    this.unobserved ??= this.world.endSocketWatch(); // before the invariants, which may use other clients
    const state = await this.subject.look({ reset });
    return {
      ...this.subject.about,
      actors: this.actors.map(({ name, process, cart }) => ({
        name,
        process: process.name,
        ...(cart !== undefined && { cart }),
      })),
      events: [...this.eventLog.events],
      final: { ...state, locks: this.locks.states() },
    };
  }

  /** Terminates an actor of a dead process: its code receives an error at every step until it stops. */
  async terminate(actor: Actor): Promise<void> {
    actor.connections.host.comeUp();
    this.declareDead(actor);
    this.quiescence.unblock(); // the server releases the locks of its sessions
    await this.endSessionsOfDead(actor);
    for (const task of actor.tasks) {
      if (task.inFlightSteps.size === 0 || task === actor.orphanedStep?.task) continue;
      for (const { step } of task.inFlightSteps)
        if (step.blocking !== undefined) await this.world.blockedClients.unblock(step.blocking, 'ERROR');
      task.inFlightSteps.clear(); // no code is left to receive the answer
      task.done = true;
    }
    this.quiescence.unblock();
    for (const held of actor.held) if (held !== actor.orphanedStep) held.release('die');
  }

  /** As `terminate`, but its sessions stay open until the end of the schedule, and a statement that waits in one is executed there. */
  terminateWithoutClosing(actor: Actor): void {
    this.declareDead(actor);
    actor.connections.host.goDown();
    for (const held of actor.held) held.release('die');
  }

  /** Ends the request of the actor, and its timers. */
  private declareDead(actor: Actor): void {
    actor.outcome ??= 'DIED';
    this.clock.removeTimersOf(actor.name);
    actor.process.realm?.timers.stop();
  }

  /** Terminates all actors, so that a schedule that cannot be continued does not affect the next one. */
  private async abandon(): Promise<void> {
    for (const { process } of this.actors) process.alive = false;
    for (const actor of this.actors) await this.terminate(actor);
  }

  /**
   * Ends all sessions except the one of the in-flight statement, which ends after that statement. Outside a
   * transaction that session is unknown: then all of them wait for the statement.
   */
  private async endSessionsOfDead(actor: Actor): Promise<void> {
    const { transactions } = actor.holdings;
    const isInFlight = actor.orphanedStep?.step.kind === 'sql';
    if (isInFlight && transactions.size === 0) return;
    const ends = [...actor.openSessions()].filter((session) => !isInFlight || !transactions.has(session));
    await this.world.crashSessions(actor.connections, ends);
    for (const session of ends) forgetSession(actor.holdings, session);
  }

  /** The server ends the actor's sessions; resolves when server and client have noticed. */
  async loseSessions(actor: Actor): Promise<void> {
    this.quiescence.unblock(); // statements that wait for these sessions are answered when they end
    const sessions = [...actor.openSessions()];
    for (const session of sessions) actor.lostSessions.add(session);
    await this.world.endSessions(actor.connections, sessions);
    forgetSessions(actor.holdings);
    this.quiescence.unblock();
  }

  private scopeOf(actor: Actor, task: ActorTask): Scope {
    return {
      actor: actor.name,
      listener: this.gate.listener(actor, task),
      scheduleTime: () => Math.round(this.clock.now),
      ...(this.subject.isForeign === true && {
        onUnhandled: (error: unknown) => {
          this.crashing.set(actor.process, error);
          this.quiescence.noteProgress();
        },
      }),
    };
  }

  /** The clock of a request. Sets `hasReadClock` where its code reads it or sets a timer. */
  private clockOf({ name }: Actor): Clock {
    const clock = this.clock.for(name);
    const note = (): void => {
      if (this.subject.getsClock === true || (this.timeless.has(name) && !this.hasTimeouts))
        this.hasReadClock = true;
    };
    return {
      ...clock,
      now: () => {
        note();
        return clock.now();
      },
      after: (ms, run) => {
        note();
        return clock.after(ms, run);
      },
      every: (ms, tick) => {
        note();
        return clock.every(ms, tick);
      },
    };
  }

  /**
   * The code before the first step of a request may read what another request of its process has left in memory, so that the
   * schedule decides when it runs. Code of the catalogue reads nothing there before its first step.
   */
  private arrivesInStep(actor: Actor): boolean {
    return this.subject.isForeign === true && this.sharesProcess(actor);
  }

  private start(actor: Actor): void {
    const task = startTask(actor, { auto: false, isTimer: false });
    const scope = this.scopeOf(actor, task);
    const warn = (warning: string): void => {
      if (actor.process.alive) this.eventLog.warn(actor.name, warning);
    };
    this.world.pulse.note({ actor: actor.name, after: '' });
    const request = async () => {
      if (this.arrivesInStep(actor)) await arrive();
      return actor.process.act(actor, this.clockOf(actor), warn);
    };
    void withVirtualDate(this.codeClock, () => observe(scope, request))
      .then((outcome) => {
        if (actor.outcome !== undefined) return; // its process died meanwhile
        actor.outcome = outcome.code;
        this.ends.push({ actor: actor.name, ...outcome });
      })
      .catch((error: unknown) => {
        if (!(error instanceof ProcessDied)) throw error; // it died before its request arrived
      })
      .finally(() => {
        task.done = true;
        this.quiescence.noteProgress();
      });
  }
}
