import { DependencyDown, InjectedFault, observe, unobserved, type Listener, type Step } from '#lab/step';
import type { Options, Strategy } from '#lab/strategy';
import type { LockChange, ScheduleHistory } from '#lab/verdict';
import { Actor, ActorProcess, ProcessDied } from './actor';
import { Chronicle } from './chronicle';
import { LockBook } from './lock-book';
import { Quiet } from './quiet';
import { mayFree, noteSession } from './sql-words';
import type { Directive, Flight, Held, Strand } from './strand';
import { VirtualClock, type Timer } from './virtual-clock';
import { ACTOR_NAMES, BALANCE, type World } from './world';

/** What a schedule is about. */
export interface Setup {
  readonly strategy: Strategy;
  readonly options: Options;
  readonly stock: number;
  /** The process of each actor, two or three: `['p1', 'p2']`. */
  readonly processes: readonly string[];
}

/** How a held step was let go. */
interface Release {
  readonly directive: Directive;
  readonly waited: boolean;
}

/** A dead actor's code is refused so often, then it stands still for good. */
const MOST_DEATHS = 20;

/** One schedule in progress: actors whose steps are held until they are released one by one. */
export class Run {
  readonly clock = new VirtualClock();
  readonly locks = new LockBook();
  readonly chronicle = new Chronicle();
  readonly actors: readonly Actor[];
  readonly processes: readonly ActorProcess[];
  private readonly quiet: Quiet;
  private strandIds = 0;
  private readonly ends: { actor: string; code: string; text: string }[] = [];

  private constructor(
    readonly world: World,
    readonly setup: Setup,
  ) {
    this.processes = [...new Set(setup.processes)].map((name) => new ActorProcess(name));
    this.actors = setup.processes.map((process, i) => {
      const seat = world.seats[i];
      const name = ACTOR_NAMES[i];
      if (seat === undefined || name === undefined)
        throw new RangeError('a schedule has at most three actors');
      return new Actor(name, this.process(process), seat);
    });
    this.quiet = new Quiet(world.sessions, this.actors);
  }

  /** Sets the servers back and starts the actors; each is held at its first step. */
  static async begin(world: World, setup: Setup): Promise<Run> {
    await world.reset(setup.stock);
    const run = new Run(world, setup);
    for (const actor of run.actors) run.start(actor);
    await run.settle();
    return run;
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

  /** Resolves when every actor is held, done, or waits in a server. */
  async settle(): Promise<void> {
    await this.quiet.settle();
    // two that end at the same time (one has freed the other) do so in the order of their names
    this.ends.sort((a, b) => (a.actor < b.actor ? -1 : 1));
    for (const { actor, code, text } of this.ends.splice(0)) this.chronicle.end(actor, code, text);
  }

  /** Waits for an answer of a server, at most `ms` of real time. */
  waitForServer(ms: number): Promise<boolean> {
    return this.quiet.happening(ms);
  }

  /** True when the step would go on if it were released. */
  canMove(held: Held): boolean {
    const { step, strand, version } = held;
    const actor = this.actor(strand.actor);
    const { process } = actor;
    if (actor.inFlight !== undefined) return true;
    if (!process.alive || process.paused) return false;
    if (step.kind === 'local' && step.key !== undefined) {
      const isFree = !process.local.isLocked(step.key);
      if (!isFree) held.waited = true;
      return isFree;
    }
    if (step.verb !== 'WAIT' || step.key === undefined) return true;
    return this.locks.version(step.key) !== version || this.clock.now >= this.givesUpAt(actor);
  }

  /** When an actor's wait for a lock ends, virtual time. */
  givesUpAt({ waiting }: Actor): number {
    return (waiting?.since ?? this.clock.now) + this.setup.options.waitMs;
  }

  /** Lets a held step go, and resolves when all is quiet again. */
  async release(held: Held, directive: Directive = 'issue'): Promise<void> {
    held.release(directive);
    await this.settle();
  }

  /** Calls a timer. With `auto` its steps are issued as they come; otherwise they are held as all others are. */
  async fire(timer: Timer, auto: boolean): Promise<void> {
    const actor = this.actor(timer.actor);
    const strand = this.strand(actor, auto);
    timer.running = true;
    this.clock.fired(timer);
    void observe({ actor: actor.name, listener: this.listener(actor, strand) }, async () => timer.run())
      .catch(() => undefined) // a tick that throws is a missed tick, as with the real clock
      .finally(() => {
        timer.running = false;
        strand.done = true;
        this.quiet.moved();
      });
    await this.settle();
  }

  /** Takes in what Redis holds now. */
  async readLocks(by?: string): Promise<LockChange[]> {
    return this.locks.update(await this.world.readLocks(), this.clock.now, by);
  }

  /** What happened, and what the servers hold now. */
  async history(): Promise<ScheduleHistory> {
    const { strategy, stock } = this.setup;
    return {
      strategy: strategy.name,
      stock,
      actors: this.actors.map(({ name, process }) => ({ name, process: process.name })),
      events: this.chronicle.events,
      final: { ...(await this.world.look()), locks: this.locks.states() },
    };
  }

  /** A process is gone: its code is told at every step, until it stops. */
  async bury(actor: Actor): Promise<void> {
    actor.outcome ??= 'DIED';
    this.clock.forget(actor.name);
    if (actor.inFlight?.step.kind !== 'sql') {
      await this.world.sever(actor.seat, [...this.sessionsOf(actor)]);
      actor.sessions.clear();
      actor.locking.clear();
    } // else the session ends when the statement has run
    for (const strand of actor.strands) {
      if (strand.flights.size === 0 || strand === actor.inFlight?.strand) continue;
      strand.flights.clear(); // nobody is left to be answered
      strand.done = true;
    }
    this.quiet.unblock();
    for (const held of actor.held) if (held !== actor.inFlight) held.release('die');
  }

  private sessionsOf(actor: Actor): Set<number> {
    const sessions = new Set(actor.sessions);
    for (const { flights } of actor.strands)
      for (const { step } of flights) if (step.connection !== undefined) sessions.add(step.connection);
    return sessions;
  }

  private start(actor: Actor): void {
    const { strategy, options } = this.setup;
    const strand = this.strand(actor, false);
    const { redis, balances } = actor.seat;
    const clock = this.clock.for(actor.name);
    const { workMs } = options;
    const change = {
      balance: BALANCE,
      delta: -1,
      request: actor.name,
      replica: actor.process.name,
      strategy: strategy.name,
    };
    void observe({ actor: actor.name, listener: this.listener(actor, strand) }, async () =>
      strategy.apply(change, {
        balances,
        redis,
        options,
        clock,
        process: actor.process.local,
        work: () => (workMs > 0 ? clock.sleep(workMs, 'WORK') : Promise.resolve()),
        warn: (warning) => {
          if (actor.process.alive) this.chronicle.warn(actor.name, warning);
        },
      }),
    )
      .then(
        ({ before, after }) => {
          this.ended(actor, 'APPLIED', `sold one: ${before} → ${after}`);
        },
        (error: unknown) => {
          this.ended(actor, codeOf(error), error instanceof Error ? error.message : String(error));
        },
      )
      .finally(() => {
        strand.done = true;
        this.quiet.moved();
      });
  }

  private ended(actor: Actor, code: string, text: string): void {
    if (actor.outcome !== undefined) return;
    actor.outcome = code;
    this.ends.push({ actor: actor.name, code, text });
  }

  private strand(actor: Actor, auto: boolean): Strand {
    const strand: Strand = {
      id: this.strandIds++,
      actor: actor.name,
      auto,
      held: [],
      flights: new Set(),
      done: false,
      begun: false,
    };
    actor.strands.push(strand);
    return strand;
  }

  private listener(actor: Actor, strand: Strand): Listener {
    return async (step, issue) => {
      const { directive, waited } = await this.hold(actor, strand, step);
      if (directive === 'die') throw new ProcessDied(actor.name);
      const timer = strand.id >= this.actors.length ? ({ timer: true } as const) : {};
      if (directive === 'error' || (actor.process.cut && step.kind === 'redis')) {
        const fault = directive === 'error' ? 'error' : 'cut';
        this.chronicle.fail(this.chronicle.step(step, { ...timer, fault }), 'not sent');
        throw fault === 'cut'
          ? new DependencyDown('redis', 'Redis is not reachable (cut off)')
          : new InjectedFault('error', step);
      }
      const fault = directive === 'lose-reply' ? ({ fault: directive } as const) : {};
      const event = this.chronicle.step(step, {
        ...timer,
        ...fault,
        ...(waited && { waited }),
        ...(actor.inFlight !== undefined && { fault: 'in-flight' as const }),
      });
      const reply = await this.carry(actor, { step, strand, blocked: false }, issue, event);
      if (!actor.process.alive) throw new ProcessDied(actor.name);
      if (directive === 'lose-reply') throw new InjectedFault('lose-reply', step);
      return reply;
    };
  }

  /** Issues the step, and looks at the locks right behind it on the same connection. */
  private async carry(
    actor: Actor,
    flight: Flight,
    issue: () => Promise<unknown>,
    event: ReturnType<Chronicle['step']>,
  ): Promise<unknown> {
    const { step, strand } = flight;
    strand.flights.add(flight);
    strand.begun = true;
    if (step.kind === 'sql') this.quiet.moved(); // whoever waits for an answer must know what for
    try {
      const answer = issue();
      const look = writes(step) ? unobserved(() => this.world.readLocks(actor.seat.redis)) : undefined;
      const [reply, readings] = await Promise.all([answer, look]);
      const locks =
        readings === undefined
          ? []
          : this.locks.update(readings, this.clock.now, actor.name, step.text.split(' '));
      this.chronicle.answer(event, reply, locks);
      return reply;
    } catch (error) {
      this.chronicle.fail(event, error);
      this.quiet.unblock(flight);
      throw error;
    } finally {
      noteSession(actor.sessions, actor.locking, step);
      if (mayFree(step)) this.quiet.unblock(flight);
      strand.flights.delete(flight);
      this.quiet.moved();
    }
  }

  private hold(actor: Actor, strand: Strand, step: Step): Promise<Release> {
    if (!actor.process.alive) return this.refuse(actor, strand);
    if (strand.auto) return Promise.resolve({ directive: 'issue', waited: false });
    this.noteWaiting(actor, step);
    return new Promise((resolve) => {
      const held: Held = {
        step,
        strand,
        version: step.key === undefined ? 0 : this.locks.version(step.key),
        waited: false,
        release: (directive) => {
          strand.held.splice(strand.held.indexOf(held), 1);
          resolve({ directive, waited: held.waited });
        },
      };
      strand.held.push(held);
      this.quiet.moved();
    });
  }

  private refuse(actor: Actor, strand: Strand): Promise<Release> {
    if (++actor.deaths <= MOST_DEATHS) return Promise.resolve({ directive: 'die', waited: false });
    strand.done = true;
    this.quiet.moved();
    return new Promise(() => undefined);
  }

  private noteWaiting(actor: Actor, { verb, key }: Step): void {
    if (verb === 'WAIT' && key !== undefined) {
      if (actor.waiting?.key !== key) actor.waiting = { key, since: this.clock.now };
    } else if (key !== actor.waiting?.key) actor.waiting = undefined;
  }
}

/** Redis commands that change nothing need no look at the locks. */
const writes = ({ kind, verb }: Step): boolean =>
  kind === 'redis' && !/^(GET|MGET|EXISTS|TTL|PTTL|HGET|HGETALL|TIME|SUBSCRIBE|UNSUBSCRIBE)$/.test(verb);

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string') return code;
  const driver = (error as { driverError?: { code?: unknown } }).driverError?.code;
  return typeof driver === 'string' ? driver : error instanceof Error ? error.name : 'ERROR';
}
