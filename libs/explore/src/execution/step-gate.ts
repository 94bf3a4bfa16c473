import {
  DependencyDown,
  InjectedFault,
  NotInSchedules,
  unobserved,
  type Listener,
  type Step,
  type StepInfo,
  type StepKind,
  type Ticker,
} from '#lab/step';
import {
  ProcessDied,
  type Actor,
  type ActorProcess,
  isWaiting,
  type ReleaseMode,
  serverWaitMs,
  type InFlightStep,
  type HeldStep,
  type ActorTask,
  type VirtualClock,
  withRealDate,
} from '../actors';
import type { Options } from '#lab/strategy';
import type { EventLog } from './event-log';
import { Disturbed } from './disturbed';
import {
  callStacks,
  type BlockedClients,
  isRedisWrite,
  locksIn,
  type NamedLocks,
  type PubSubInbox,
  type LockStore,
  type LockReading,
  type Pulse,
  type Purge,
  type SettledTables,
  type TablesThatShowMore,
  type Sessions,
  commitsOpenTransaction,
  freesTables,
  mayReleaseLocks,
  requestsNamedLock,
  updateHoldings,
} from '../world';
import type { LockTracker } from './lock-tracker';
import type { QuiescenceDetector } from './quiescence-detector';

/** How a held step was released. */
interface Release {
  readonly mode: ReleaseMode;
  readonly wasDelayed: boolean;
}

/** The parts of a run that the gate uses. */
interface GateContext {
  readonly lockStores: readonly LockStore[];
  /** Called for each store that a step may have changed. */
  readonly markUsed: (store: LockStore) => void;
  /** Servers that are unreachable for all processes. */
  readonly unreachableServers: ReadonlySet<string>;
  /** Steps name all locks that they touch. */
  readonly declaresKeys: boolean;
  /** `leaseMs`: the lease of a lock when the command does not contain it. */
  readonly options: Pick<Options, 'leaseMs' | 'waitMs' | 'retryMs'>;
  readonly clock: VirtualClock;
  readonly locks: LockTracker;
  readonly eventLog: EventLog;
  readonly quiescence: QuiescenceDetector;
  readonly inbox: PubSubInbox;
  readonly pulse: Pulse;
  readonly blockedClients: BlockedClients;
  readonly sessions: Pick<Sessions, 'interrupt' | 'refusal'>;
  readonly purge: Pick<Purge, 'before' | 'after'>;
  readonly tables: Pick<SettledTables, 'note'>;
  readonly showingMore: Pick<TablesThatShowMore, 'note'>;
  /** The database sessions of all actors. */
  readonly openSessions: () => readonly number[];
  /** Resolves when subscribers have received what was published. */
  readonly receiveMessages: () => Promise<void>;
  /** Keep the call stack of each held step. */
  readonly keepsStacks: boolean;
}

/** Step kinds of lock servers other than the database: a process that is cut off cannot reach them. */
export const LOCK_SERVER_KINDS: ReadonlySet<string> = new Set<StepKind>(['redis', 'zk', 'etcd']);

/** The fault because of which a step does not reach its server, now and later: neither of them ends. Undefined: it does. */
export function whyUnreachable(
  { unreachableServers }: Pick<GateContext, 'unreachableServers'>,
  { cut }: Pick<ActorProcess, 'cut'>,
  { kind, server }: Pick<Step, 'kind' | 'server'>,
): 'cut' | 'server-down' | undefined {
  if (cut && LOCK_SERVER_KINDS.has(kind)) return 'cut';
  return server !== undefined && unreachableServers.has(server) ? 'server-down' : undefined;
}

/** Steps of a dead actor that are rejected; later ones never settle, which stops retry loops. */
const MAX_REJECTED_STEPS = 20;

/**
 * Holds every step before it is issued: after the strategy's last check, before the statement is sent. Records
 * released steps with their replies and lock changes.
 */
export class StepGate {
  constructor(private readonly run: GateContext) {}

  /** The step listener of one task. */
  listener(actor: Actor, task: ActorTask): Listener {
    return async (step, issue) => {
      const { mode, wasDelayed } = await this.hold(actor, task, step);
      if (mode === 'die') throw new ProcessDied(actor);
      const timer = task.isTimer ? ({ timer: true } as const) : {};
      const unsent = mode === 'error' ? 'error' : whyUnreachable(this.run, actor.process, step);
      if (unsent !== undefined) {
        this.run.eventLog.fail(this.run.eventLog.step(step, { ...timer, fault: unsent }), 'not sent');
        throw unsent === 'error'
          ? new InjectedFault('error', step)
          : new DependencyDown(step.kind, `${step.kind} is not reachable (${unsent})`);
      }
      const fault = mode === 'lose-reply' ? ({ fault: mode } as const) : {};
      const event = this.run.eventLog.step(step, {
        ...timer,
        ...fault,
        ...(wasDelayed && { delayed: true as const }),
        ...(actor.orphanedStep !== undefined && { fault: 'in-flight' as const }),
      });
      const inFlightStep = { step, task, number: event.n, blocked: false, timedOut: false, answered: false };
      const reply = await this.issueAndRecord(actor, inFlightStep, () => withRealDate(issue), event);
      if (!actor.process.alive) throw new ProcessDied(actor);
      if (mode === 'lose-reply') throw new InjectedFault('lose-reply', step);
      return reply;
    };
  }

  /** Issues the step and reads the locks right behind it on the same connection. */
  private async issueAndRecord(
    actor: Actor,
    inFlightStep: InFlightStep,
    issue: () => Promise<unknown>,
    event: ReturnType<EventLog['step']>,
  ): Promise<unknown> {
    const { step, task } = inFlightStep;
    task.inFlightSteps.add(inFlightStep);
    task.begun = true;
    if (step.kind === 'sql' || step.blocking !== undefined) this.run.quiescence.noteProgress(); // the server has to be asked about it, too
    const lockStores = this.run.lockStores.filter((store) => store.touchedBy(step));
    for (const store of lockStores) this.run.markUsed(store);
    const seen = task.isTimer || this.isBlind(step) ? [] : this.locksSeenBy(step, lockStores);
    this.run.locks.recordTokens(actor.name, step.text);
    const expiries = step.commands === undefined ? undefined : this.expiriesIn(step.server);
    const before = lockStores.map(async (store) => {
      const leases = this.run.locks.leases(store.name, this.run.clock.now);
      return (await unobserved(() => store.restore?.(actor.connections, leases, step))) ?? leases;
    });
    const isBehind = (store: LockStore): boolean => store.pipelined || store.readsBehind?.(step) === true;
    const read = (behind: boolean): Promise<LockReading[][]> =>
      Promise.all(
        lockStores.map(async (store, i) =>
          isBehind(store) === behind
            ? [...(await unobserved(() => store.read(actor.connections, before[i], step)))]
            : [],
        ),
      );
    // sent over another connection than the step; a pipelined one goes out in the packet of the step
    const isSentApart = lockStores.some((store) => !store.pipelined && 'restore' in store);
    if (isSentApart) await Promise.all(before);
    if (!this.run.declaresKeys) {
      this.run.tables.note(step);
      if (step.kind === 'sql') this.run.showingMore.note(step);
      await this.run.purge.before(step, () => {
        this.run.quiescence.noteProgress();
      });
    }
    const timeout = this.timeoutOf(actor, inFlightStep);
    try {
      const sent = requestsNamedLock(step) ? this.untilTimedOut(inFlightStep, issue) : issue();
      const answer = sent.finally(() => {
        this.run.quiescence.answered(inFlightStep);
      });
      const [answered, behind] = await Promise.all([answer, read(true)]);
      const after = await read(false);
      const locks = lockStores.flatMap((store, i) =>
        this.run.locks.update(
          store.name,
          [...(behind[i] ?? []), ...(after[i] ?? [])],
          this.run.clock.now,
          actor.name,
          (store.grantsInText ?? store.pipelined)
            ? [...step.text.split(/;? /), String(this.run.options.leaseMs)]
            : [String(this.run.options.leaseMs)],
        ),
      );
      for (const store of lockStores)
        if (store.renewedBy?.(step) === true && answered === true)
          locks.push(
            ...this.run.locks.renew(store.name, actor.name, this.run.clock.now + this.run.options.leaseMs),
          );
      if (!isUndecided(step, answered)) for (const named of seen) this.run.locks.noteSeen(actor.name, named);
      if (locks.some(({ change, by }) => change === 'taken' && by === actor.name)) actor.waiting = undefined; // a later wait is a new one
      const reply = this.inVirtualTime(step, answered, expiries);
      this.run.eventLog.answer(event, step, reply, locks);
      if (publishes(step)) await unobserved(() => this.run.inbox.deliver(step.text));
      if (isRedisWrite(step)) await unobserved(() => this.run.receiveMessages());
      return reply;
    } catch (thrown) {
      const error = inFlightStep.timedOut ? asLockWaitTimeout(thrown) : thrown;
      const isLost = step.connection !== undefined && actor.lostSessions.has(step.connection);
      if (isLost) event.fault = 'lost-session';
      else if (error instanceof DependencyDown && actor.process.alive)
        this.run.quiescence.fail(new Disturbed(`${step.kind} did not answer`, { cause: error }));
      else if (!inFlightStep.timedOut) for (const named of seen) this.run.locks.noteSeen(actor.name, named); // refused
      this.run.eventLog.fail(event, error);
      this.run.quiescence.unblock(inFlightStep);
      throw error;
    } finally {
      timeout?.stop();
      const frees = commitsOpenTransaction(actor.holdings, step) || freesTables(actor.holdings, step);
      updateHoldings(actor.holdings, step, event.reply);
      if (!this.run.declaresKeys) await this.run.purge.after(step, event.reply, this.run.openSessions);
      if (frees || mayReleaseLocks(step)) this.run.quiescence.unblock(inFlightStep);
      if (isRedisWrite(step)) this.run.quiescence.unblockRedis(inFlightStep);
      task.inFlightSteps.delete(inFlightStep);
      actor.lastStep = step.text;
      this.run.pulse.note({ actor: actor.name, after: step.text }); // its code continues now
      this.run.quiescence.noteProgress();
    }
  }

  /** The locks whose state the reply may show: those that the step names, and those that code may touch without naming them. */
  private locksSeenBy(step: Step, touched: readonly LockStore[]): readonly NamedLocks[] {
    const unnamed = this.run.declaresKeys ? [] : touched;
    return [locksIn(step), ...unnamed.map(({ name: store }) => ({ store, locks: 'all' as const }))];
  }

  /**
   * The step releases a lock that its actor does not hold. Its reply is the same before and after any change by others, so that its
   * position among these changes must not decide whether the actor tries again.
   */
  private isBlind(step: Step): boolean {
    return step.lock?.onlyIf === 'owner' && this.run.locks.isWithoutEffect(step);
  }

  /** The schedule ends the wait of a command in Redis, or of a GET_LOCK, when its time is over. */
  private timeoutOf({ name }: Actor, inFlightStep: InFlightStep): Ticker | undefined {
    const ms = serverWaitMs(inFlightStep.step);
    if (ms === undefined) return undefined;
    return this.run.clock.endWait(name, ms, () => {
      const { blocking, connection } = inFlightStep.step;
      inFlightStep.timedOut = true;
      inFlightStep.blocked = false;
      if (blocking !== undefined) void this.run.blockedClients.unblock(blocking, 'TIMEOUT');
      else if (connection !== undefined) void this.run.sessions.interrupt(connection);
    });
  }

  /** Sends a GET_LOCK. Interrupted because its time is over, it would be answered NULL by MariaDB, and an error by MySQL. */
  private async untilTimedOut(inFlightStep: InFlightStep, issue: () => Promise<unknown>): Promise<unknown> {
    const [answer] = await Promise.allSettled([issue()]);
    if (inFlightStep.timedOut) return unobserved(() => this.run.sessions.refusal(inFlightStep.step.text));
    if (answer.status === 'rejected') throw answer.reason;
    return answer.value;
  }

  /**
   * Replaces the remaining time of a key, in the reply of a step whose locks have been recorded, by its virtual value: the
   * real milliseconds of a schedule do not count. `before`: when each key would have expired before a MULTI.
   */
  private inVirtualTime(
    { verb, key, server, timeLeftAt, commands }: Step,
    reply: unknown,
    before: ReadonlyMap<string, number> | undefined,
  ): unknown {
    if (commands !== undefined && before !== undefined && Array.isArray(reply)) {
      const after = this.expiriesIn(server);
      return reply.map((one: unknown, i) => {
        const command = commands[i];
        if (command?.key === undefined || !Array.isArray(one)) return one;
        const at = (changesLater(commands, i) ? before : after).get(command.key);
        return one.map((value: unknown) => this.timeLeft(command.verb, value, at));
      });
    }
    if (key === undefined || (timeLeftAt === undefined && !readsTimeLeft(verb))) return reply;
    const at = this.expiriesIn(server).get(key);
    if (timeLeftAt === undefined || at === undefined) return this.timeLeft(verb, reply, at);
    return (reply as unknown[]).map((value, i) =>
      i === timeLeftAt ? Math.round(at - this.run.clock.now) : value,
    );
  }

  /** The reply to a TTL or PTTL of a key that expires then; that to another command as it is. */
  private timeLeft(verb: string, reply: unknown, at: number | undefined): unknown {
    if (at === undefined || !readsTimeLeft(verb) || !/^\d+$/.test(String(reply))) return reply;
    const ms = at - this.run.clock.now;
    const left = Math.round(verb === 'TTL' ? ms / 1000 : ms);
    return typeof reply === 'string' ? String(left) : left; // a text where the client has the option stringNumbers
  }

  /** When each key of a Redis expires. */
  private expiriesIn(server = ''): ReadonlyMap<string, number> {
    const expiring = this.run.locks.expiring().filter(({ store }) => store === server);
    return new Map(expiring.map(({ lock, at }) => [lock, at]));
  }

  private hold(actor: Actor, task: ActorTask, step: Step): Promise<Release> {
    if (!actor.process.alive) return this.refuse(actor, task);
    if (step.refused !== undefined) this.run.quiescence.fail(new NotInSchedules(step.text, step.refused));
    if (task.auto) return Promise.resolve({ mode: 'issue', wasDelayed: false });
    this.trackWait(actor, step);
    return new Promise((resolve) => {
      const held: HeldStep = {
        step,
        task,
        since: this.run.clock.now,
        wasDelayed: task.wasIdle,
        ...(this.run.keepsStacks && { stacks: callStacks() }),
        release: (mode) => {
          task.held.splice(task.held.indexOf(held), 1);
          resolve({ mode, wasDelayed: held.wasDelayed });
        },
      };
      task.wasIdle = false;
      task.held.push(held);
      this.run.quiescence.noteProgress();
    });
  }

  private refuse(actor: Actor, task: ActorTask): Promise<Release> {
    if (++actor.rejectedSteps <= MAX_REJECTED_STEPS)
      return Promise.resolve({ mode: 'die', wasDelayed: false });
    task.done = true;
    this.run.quiescence.noteProgress();
    return new Promise(() => undefined);
  }

  /** An actor that does not give up waits again, twice as long each time: its attempts would find the same lock. */
  private trackWait(actor: Actor, step: Step): void {
    const { key } = step;
    if (isWaiting(step) && key !== undefined) {
      const { now } = this.run.clock;
      const { waitMs, retryMs } = this.run.options;
      if (actor.waiting?.key !== key) actor.waiting = { key, until: now + waitMs };
      else if (now >= actor.waiting.until)
        actor.waiting = { key, until: now + Math.max(now, waitMs, retryMs) };
    } else if (key !== actor.waiting?.key) actor.waiting = undefined;
  }
}

/** ER_QUERY_INTERRUPTED after our KILL QUERY has the effect of ER_LOCK_WAIT_TIMEOUT: the transaction stays open. */
function asLockWaitTimeout(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { driverError = error } = error as { driverError?: object }; // of TypeORM, or of mysql2 itself
  if (!('errno' in driverError) || driverError.errno !== 1317) return error;
  const message = 'Lock wait timeout exceeded; try restarting transaction';
  const said = { errno: 1205, code: 'ER_LOCK_WAIT_TIMEOUT', sqlState: 'HY000', sqlMessage: message, message };
  Object.assign(driverError, said);
  return Object.assign(error, said);
}

/** The reply shows no state of a lock: MULTI has queued the command, or has been aborted because of its WATCH. */
const isUndecided = ({ kind, verb }: Step, reply: unknown): boolean =>
  kind === 'redis' && (reply === 'QUEUED' || (reply === null && /^(MULTI|EXEC)$/.test(verb)));

const readsTimeLeft = (verb: string): boolean => /^P?TTL$/.test(verb);

/** A later command of this MULTI names the key of the command at `i`, and no earlier one does. */
const changesLater = (commands: readonly StepInfo[], i: number): boolean => {
  const { key = '' } = commands[i] ?? {};
  const isNamed = (some: readonly StepInfo[]): boolean =>
    some.some(({ keys }) => keys?.includes(key) === true);
  return isNamed(commands.slice(i + 1)) && !isNamed(commands.slice(0, i));
};

const publishes = ({ kind, verb }: Step): boolean => kind === 'redis' && /^(EVALSHA|PUBLISH)$/.test(verb);
