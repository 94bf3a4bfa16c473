import { fileOf, LocalProcess, type Strategy } from '#lab/strategy';
import type { PubSubInbox, Holdings, ActorConnections } from '../world';
import type { HeldStep, ActorTask } from './actor-task';
import { loadStrategy, Realm } from './realm';

/** A process that actors live in: what dies, stands still or loses Redis together. */
export class ActorProcess {
  readonly local: LocalProcess;
  /** The strategy as this process runs it: from module instances of its own, where it comes from a file. */
  readonly strategy: Strategy;
  /** Absent for a strategy that is an object without a file. */
  readonly realm: Realm | undefined;
  alive = true;
  paused = false;
  /** The server has ended its session, and it does not know yet. */
  sessionEnded = false;
  /** Redis cannot be reached from here; the database can. */
  cut = false;

  constructor(
    readonly name: string,
    pid: number,
    strategy: Strategy,
    inbox: PubSubInbox,
  ) {
    this.local = new LocalProcess(name, inbox.of(this));
    const file = fileOf(strategy);
    this.realm = file === undefined ? undefined : new Realm(pid);
    this.strategy =
      file === undefined || this.realm === undefined
        ? strategy
        : loadStrategy(file, strategy.name, this.realm);
  }
}

/** One buyer of a schedule: a request that runs, on connections of its own, inside a process. */
export class Actor {
  readonly tasks: ActorTask[] = [];
  /** What it came to; absent while it runs. */
  outcome: string | undefined;
  /** Since when, in virtual time, it waits for which lock. */
  waiting: { readonly key: string; readonly since: number } | undefined;
  /** How often it has looked again because the lock that it waits for had changed. */
  retries = 0;
  /** What its sessions in the database hold. */
  readonly holdings: Holdings = { transactions: new Set(), rows: new Set(), names: new Set() };
  /** Sessions that the database has ended while the process lives. */
  readonly lostSessions = new Set<number>();
  /** The statement that outlives the process. */
  orphanedStep: HeldStep | undefined;
  /** How often a dead actor has tried to go on. */
  deaths = 0;

  constructor(
    readonly name: string,
    readonly process: ActorProcess,
    readonly connections: ActorConnections,
    /** The balances of which it wants one unit each; absent: one `item`. */
    readonly cart?: readonly string[],
  ) {}

  /** The steps that are held, the main line's first. */
  get held(): readonly HeldStep[] {
    return this.tasks.flatMap((task) => task.held);
  }

  /** Sessions that the server would notice the end of: they hold something, or a statement runs in them. */
  openSessions(): Set<number> {
    const flying = this.tasks.flatMap(({ inFlightSteps }) =>
      Array.from(inFlightSteps, ({ step }) => step.connection),
    );
    const { transactions, names } = this.holdings;
    return new Set([...transactions, ...names, ...flying.filter((session) => session !== undefined)]);
  }

  /** It waits for another one in a server. */
  get blocked(): boolean {
    return this.tasks.some((task) => [...task.inFlightSteps].some((inFlightStep) => inFlightStep.blocked));
  }
}

/** The request's process died: thrown at its code so that it unwinds. Nobody outside sees it. */
export class ProcessDied extends Error {
  readonly code = 'DIED';

  constructor(name: string) {
    super(`${name} died`);
    this.name = 'ProcessDied';
  }
}
