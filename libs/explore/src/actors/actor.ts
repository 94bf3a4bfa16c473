import { messageOf } from '#lab/step';
import { LocalProcess } from '#lab/strategy';
import { nothingHeld, type PubSubInbox, type ActorConnections } from '../world';
import { hasNoStep, serverWaitMs, type HeldStep, type ActorTask } from './actor-task';
import { Realm } from './realm';
import type { Act, Subject } from './subject';

/** A process of actors: the unit that is killed, paused, or cut off from the lock servers. */
export class ActorProcess {
  readonly local: LocalProcess;
  /** What its actors do: the code of the subject, in this process's own module instances when it has a file. */
  readonly act: Act;
  /** Absent for a subject without a file and without timers. */
  readonly realm: Realm | undefined;
  alive = true;
  /** The unhandled error that has ended it. */
  unhandled: unknown;
  paused = false;
  /** The server has ended its session; the process has not noticed yet. */
  sessionEnded = false;
  /** Redis is unreachable from this process; the database is reachable. */
  cut = false;

  constructor(
    readonly name: string,
    pid: number,
    subject: Subject,
    inbox: PubSubInbox,
  ) {
    this.local = new LocalProcess(name, inbox.of(this));
    this.realm =
      subject.file === undefined && subject.isForeign !== true
        ? undefined
        : new Realm(pid, { isForeign: subject.isForeign === true });
    this.act = subject.load(this.realm);
  }
}

/** One buyer of a schedule: a request with its own connections, inside a process. */
export class Actor {
  readonly tasks: ActorTask[] = [];
  /** `APPLIED` or an error code; absent while it runs. */
  outcome: string | undefined;
  /** The lock that it waits for, and until when, virtual time. */
  waiting: { readonly key: string; readonly until: number } | undefined;
  /** Retries after changes of the lock that it waits for. */
  retries = 0;
  /** Transactions and locks of its database sessions. */
  readonly holdings = nothingHeld();
  /** Sessions that the database has ended while the process is alive. */
  readonly lostSessions = new Set<number>();
  /** A statement sent before the process died and not executed yet. */
  orphanedStep: HeldStep | undefined;
  /** Its last answered step; empty: none yet. */
  lastStep = '';
  /** Steps refused since the process died. */
  rejectedSteps = 0;

  constructor(
    readonly name: string,
    readonly process: ActorProcess,
    readonly connections: ActorConnections,
    /** Balances of which it buys one unit each; absent: one `item`. */
    readonly cart?: readonly string[],
  ) {}

  /** Held steps, the request's first. */
  get held(): readonly HeldStep[] {
    return this.tasks.flatMap((task) => task.held);
  }

  /** Sessions whose end is visible to others: they hold locks or a transaction, or run a statement. */
  openSessions(): Set<number> {
    const inFlight = this.tasks.flatMap(({ inFlightSteps }) =>
      Array.from(inFlightSteps, ({ step }) => step.connection),
    );
    const { transactions, names, tables } = this.holdings;
    return new Set([
      ...transactions.keys(),
      ...names,
      ...tables,
      ...inFlight.filter((session) => session !== undefined),
    ]);
  }

  /** The task of its request, when it waits for something in its process. */
  get requestWithoutStep(): ActorTask | undefined {
    return this.tasks.find((task) => !task.isTimer && hasNoStep(task));
  }

  /** True when a timer that its code has set, in the time of the schedule, may continue it. */
  get waitsForTimer(): boolean {
    return this.process.realm?.timers.virtual?.isWaiting(this.name) === true;
  }

  /** True when a message that another actor publishes may continue it. */
  get waitsForMessage(): boolean {
    return this.connections.own?.isSubscribed === true;
  }

  /** True when a command of it waits in Redis, or may have been answered there at any time. */
  get hasBlockingCommand(): boolean {
    return this.tasks.some(({ inFlightSteps }) => [...inFlightSteps].some(({ step }) => step.blocking));
  }

  /** True when a command of it waits in Redis, or a GET_LOCK in the database, and not forever. */
  get waitsInServer(): boolean {
    return this.tasks.some(({ inFlightSteps }) =>
      [...inFlightSteps].some(({ step }) => serverWaitMs(step) !== undefined),
    );
  }

  /** True when a statement of it waits for a lock in the database, or a command in Redis. */
  get blocked(): boolean {
    return this.tasks.some((task) => [...task.inFlightSteps].some((inFlightStep) => inFlightStep.blocked));
  }
}

/** Thrown into the code of a dead process so that its stack unwinds. Never visible outside the schedule. */
export class ProcessDied extends Error {
  readonly code = 'DIED';

  constructor({ name, process: { unhandled } }: Pick<Actor, 'name' | 'process'>) {
    super(unhandled === undefined ? `${name} died` : `${name} died: ${messageOf(unhandled)}`, {
      cause: unhandled,
    });
    this.name = 'ProcessDied';
  }
}
