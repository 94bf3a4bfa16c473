import {
  DependencyDown,
  InjectedFault,
  unobserved,
  type Listener,
  type Step,
  type StepKind,
} from '#lab/step';
import { ProcessDied, type Actor } from './actor';
import type { Chronicle } from './chronicle';
import { Disturbed } from './disturbed';
import type { Ears } from './ears';
import type { LockBook } from './lock-book';
import type { LockPlace, LockReading } from './lock-places';
import type { Quiet } from './quiet';
import { mayFree, noteHoldings } from './sql-words';
import { isWaiting, type Directive, type Flight, type Held, type Strand } from './strand';
import type { VirtualClock } from './virtual-clock';

/** How a held step was let go. */
interface Release {
  readonly directive: Directive;
  readonly waited: boolean;
}

/** What of a run the gate works with. */
interface Around {
  readonly places: readonly LockPlace[];
  /** Told of each place that a step may have changed. */
  readonly use: (place: LockPlace) => void;
  /** The servers that nobody can reach any more. */
  readonly lost: ReadonlySet<string>;
  /** What a lock is granted where the command does not say it. */
  readonly leaseMs: number;
  readonly clock: VirtualClock;
  readonly locks: LockBook;
  readonly chronicle: Chronicle;
  readonly quiet: Quiet;
  readonly ears: Ears;
}

/** The servers that a process loses when it is cut off. */
const KEEPS_LOCKS: ReadonlySet<StepKind> = new Set<StepKind>(['redis', 'zk', 'etcd']);

/** A dead actor's code is refused so often, then it stands still for good. */
const MOST_DEATHS = 20;

/**
 * Holds every step before it is issued: after the strategy's last check, before the statement leaves. What is
 * released is written down with its reply and with what it did to the locks.
 */
export class Gate {
  constructor(private readonly run: Around) {}

  /** The listener of one line of control of an actor. */
  listener(actor: Actor, strand: Strand): Listener {
    return async (step, issue) => {
      const { directive, waited } = await this.hold(actor, strand, step);
      if (directive === 'die') throw new ProcessDied(actor.name);
      const timer = strand.isTimer ? ({ timer: true } as const) : {};
      const unsent = directive === 'error' ? 'error' : this.unreachable(actor, step);
      if (unsent !== undefined) {
        this.run.chronicle.fail(this.run.chronicle.step(step, { ...timer, fault: unsent }), 'not sent');
        throw unsent === 'error'
          ? new InjectedFault('error', step)
          : new DependencyDown(step.kind, `${step.kind} is not reachable (${unsent})`);
      }
      const fault = directive === 'lose-reply' ? ({ fault: directive } as const) : {};
      const event = this.run.chronicle.step(step, {
        ...timer,
        ...fault,
        ...(waited && { waited }),
        ...(actor.inFlight !== undefined && { fault: 'in-flight' as const }),
      });
      const inVirtualTime = (): Promise<unknown> => issue().then((reply) => this.remaining(step, reply));
      const flight = { step, strand, number: event.n, blocked: false, timedOut: false };
      const reply = await this.carry(actor, flight, inVirtualTime, event);
      if (!actor.process.alive) throw new ProcessDied(actor.name);
      if (directive === 'lose-reply') throw new InjectedFault('lose-reply', step);
      return reply;
    };
  }

  private unreachable({ process }: Actor, { kind, server }: Step): 'cut' | 'server-down' | undefined {
    if (process.cut && KEEPS_LOCKS.has(kind)) return 'cut';
    return server !== undefined && this.run.lost.has(server) ? 'server-down' : undefined;
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
    if (step.kind === 'sql') this.run.quiet.moved(); // the server has to be asked about this statement, too
    const places = this.run.places.filter((place) => place.touchedBy(step));
    for (const place of places) this.run.use(place);
    this.run.locks.noteTokens(actor.name, step.text);
    const before = places.map(async (place) => {
      const leases = this.run.locks.leases(place.name, this.run.clock.now);
      return (await unobserved(() => place.restore?.(actor.seat, leases))) ?? leases;
    });
    const read = (pipelined: boolean): Promise<LockReading[][]> =>
      Promise.all(
        places.map(async (place, i) =>
          place.pipelined === pipelined
            ? [...(await unobserved(() => place.read(actor.seat, before[i])))]
            : [],
        ),
      );
    try {
      const answer = issue().finally(() => {
        this.run.quiet.answered(flight);
      });
      const [reply, behind] = await Promise.all([answer, read(true)]);
      const after = await read(false);
      const locks = places.flatMap((place, i) =>
        this.run.locks.update(
          place.name,
          [...(behind[i] ?? []), ...(after[i] ?? [])],
          this.run.clock.now,
          actor.name,
          place.pipelined ? [...step.text.split(' '), String(this.run.leaseMs)] : [String(this.run.leaseMs)],
        ),
      );
      for (const place of places)
        if (place.renewedBy?.(step) === true && reply === true)
          locks.push(...this.run.locks.renew(place.name, actor.name, this.run.clock.now + this.run.leaseMs));
      if (locks.some(({ change, by }) => change === 'taken' && by === actor.name)) actor.waiting = undefined; // a later wait is another one
      this.run.chronicle.answer(event, reply, locks);
      if (publishes(step)) await unobserved(() => this.run.ears.hear(step.text));
      return reply;
    } catch (thrown) {
      const error = flight.timedOut ? asTimeOut(thrown) : thrown;
      const isLost = step.connection !== undefined && actor.lostSessions.has(step.connection);
      if (isLost) event.fault = 'lost-session';
      else if (error instanceof DependencyDown && actor.process.alive)
        this.run.quiet.disturb(new Disturbed(`${step.kind} did not answer`, { cause: error }));
      this.run.chronicle.fail(event, error);
      this.run.quiet.unblock(flight);
      throw error;
    } finally {
      noteHoldings(actor.holdings, step);
      if (mayFree(step)) this.run.quiet.unblock(flight);
      strand.flights.delete(flight);
      this.run.quiet.moved();
    }
  }

  /** What is left of a lease counts in virtual time: the milliseconds that a schedule takes in real time are nobody's. */
  private remaining({ verb, key, server = '' }: Step, reply: unknown): unknown {
    if (!/^P?TTL$/.test(verb) || key === undefined || typeof reply !== 'number' || reply < 0) return reply;
    const ending = this.run.locks.ending().find((lock) => lock.place === server && lock.lock === key);
    if (ending === undefined) return reply;
    const ms = ending.at - this.run.clock.now;
    return Math.round(verb === 'TTL' ? ms / 1000 : ms);
  }

  private hold(actor: Actor, strand: Strand, step: Step): Promise<Release> {
    if (!actor.process.alive) return this.refuse(actor, strand);
    if (strand.auto) return Promise.resolve({ directive: 'issue', waited: false });
    this.noteWaiting(actor, step);
    return new Promise((resolve) => {
      const held: Held = {
        step,
        strand,
        version: step.key === undefined ? 0 : this.run.locks.version(step.key),
        since: this.run.clock.now,
        waited: strand.waited,
        release: (directive) => {
          strand.held.splice(strand.held.indexOf(held), 1);
          resolve({ directive, waited: held.waited });
        },
      };
      strand.waited = false;
      strand.held.push(held);
      this.run.quiet.moved();
    });
  }

  private refuse(actor: Actor, strand: Strand): Promise<Release> {
    if (++actor.deaths <= MOST_DEATHS) return Promise.resolve({ directive: 'die', waited: false });
    strand.done = true;
    this.run.quiet.moved();
    return new Promise(() => undefined);
  }

  private noteWaiting(actor: Actor, step: Step): void {
    const { key } = step;
    if (isWaiting(step) && key !== undefined) {
      if (actor.waiting?.key !== key) actor.waiting = { key, since: this.run.clock.now };
    } else if (key !== actor.waiting?.key) actor.waiting = undefined;
  }
}

/** ER_QUERY_INTERRUPTED, as the answer to our KILL QUERY, is what ER_LOCK_WAIT_TIMEOUT is: the transaction stays. */
function asTimeOut(error: unknown): unknown {
  const { driverError } = error as { driverError?: { errno?: number } };
  if (!(error instanceof Error) || driverError?.errno !== 1317) return error;
  const message = 'Lock wait timeout exceeded; try restarting transaction';
  const said = { errno: 1205, code: 'ER_LOCK_WAIT_TIMEOUT', sqlState: 'HY000', sqlMessage: message, message };
  Object.assign(driverError, said);
  return Object.assign(error, said);
}

const publishes = ({ kind, verb }: Step): boolean => kind === 'redis' && /^(EVALSHA|PUBLISH)$/.test(verb);
