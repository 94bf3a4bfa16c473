import { createHash } from 'node:crypto';
import { LOCK_TABLE } from '#lab/locks';
import type { Step } from '#lab/step';
import type { FaultEvent, ScheduleEvent, StepEvent } from '#lab/verdict';
import type { Budget } from '../faults';
import type { Run } from '../execution';
import { comparable, nameTokens } from '../schedule';
import type { Actor } from '../actors';
import {
  BALANCE,
  commitsOpenTransaction,
  endsTransaction,
  forgetSession,
  forgetSessions,
  hasFoundRow,
  nothingHeld,
  requestsNamedLock,
  updateHoldings,
  type Holdings,
  type Transaction,
} from '../world';
import { accessesOf, transactionIn, type Access } from './footprint';
import { TokenNames } from './token-names';

/**
 * Identifies the state of a run. Two runs of a plan that are in the same state have the same futures: every actor has received
 * the same replies at the same virtual times, so its code continues in the same way; every server has received the same effective
 * writes in the same order, so its data are the same; time, timers, leases and remaining faults are the same. What only
 * the past shows (two holders at once, a foreign release) may differ: the search judges one schedule of each arrival at a
 * known state.
 *
 * Undefined where this does not hold: requests of one process that share memory, and subscribers of Redis, because the
 * content of memory is not visible here; and reads of what is not committed.
 */
export function stateOf(run: Run, remaining: Budget): string | undefined {
  if (run.setup.options.wait === 'notify' || run.subject.keepsState) return undefined;
  if (run.subscribers.length > 0 || run.eventLog.hasStrictReads) return undefined;
  const past = Past.of(run);
  const names = new Map<string, string>();
  const named = (value: unknown): string => nameTokens(JSON.stringify(value), names);
  const inOrder = named({
    remaining,
    now: run.clock.now,
    timers: run.clock.timersInOrder,
    processes: run.processes.map(({ alive, paused, cut, sessionEnded }) => [
      alive,
      paused,
      cut,
      sessionEnded,
    ]),
    actors: run.actors.map((actor) => stateOfActor(run, past, actor)),
    queue: past.waiting.map(({ actor }) => actor),
  });
  // keys may contain random tokens, so that only their names have the same order in every run
  const sets = [run.unreachableServers, run.written, run.locks.states(), past.writes()];
  const sorted = sets.map((set) => Array.from(set, named).sort());
  return createHash('sha1')
    .update(JSON.stringify([inOrder, sorted]))
    .digest('base64');
}

/** The state of an actor, without its name. */
export const stateOfActor = (run: Run, past: Past, actor: Actor): readonly unknown[] => [
  past.seenBy(actor.name),
  past.waiting.find((event) => event.actor === actor.name)?.text,
  actor.outcome,
  actor.blocked,
  actor.retries,
  actor.waiting,
  actor.orphanedStep?.step.text,
  actor.outcome === undefined ? unseenBy(run, actor) : [],
  actor.tasks.map(({ held, done, idle, isTimer }) => [
    done,
    idle,
    isTimer,
    held.map((step) => [step.step.text, step.since, step.wasDelayed, run.isEnabled(step)]),
  ]),
];

/** The locks that have changed since the actor's last step on them: they enable its next wait. */
const unseenBy = (run: Run, { name }: Actor): readonly string[] =>
  run.locks
    .unseenBy(name)
    .map((lock) => TokenNames.of(run).replaceIn(lock))
    .sort();

/** What each actor has seen, and what each server has received, in the order in which it matters. */
export class Past {
  private static readonly latest = new WeakMap<Run, { readonly past: Past; readonly events: number }>();

  private readonly seen: ReadonlyMap<string, unknown[]>;
  private readonly received = new Map<string, string[]>();
  private readonly balances: readonly string[];
  /** By actor. */
  private readonly holdings: ReadonlyMap<string, Holdings>;
  /** Transactions that have taken their snapshot, as `transactionNamed` names them. */
  private readonly hasSnapshot = new Set<string>();
  private commits = 0;
  /** The database has been asked for locks besides those of rows of balances. */
  private locksInDatabase = false;
  /** The statements that wait for a lock, in the order in which they arrived. */
  readonly waiting: readonly StepEvent[];

  private constructor(private readonly run: Run) {
    this.seen = new Map(run.actors.map(({ name }) => [name, []]));
    this.holdings = new Map(run.actors.map(({ name }) => [name, nothingHeld()]));
    this.balances = [...new Set(run.subject.carts?.flat() ?? [BALANCE])];
    this.waiting = this.addAll(run.eventLog.events);
  }

  /** Adds each event, a statement that waited for a lock when it was answered: as if it had arrived then. Returns those that wait. */
  private addAll(events: readonly ScheduleEvent[]): readonly StepEvent[] {
    const late: StepEvent[] = [];
    for (const event of events) {
      if (event.type === 'step' && event.kind === 'sql' && !isAnsweredAtOnce(event)) late.push(event);
      else this.add(event);
      for (const answered of late) if (answered.answeredAt === event.n) this.addStep(answered, event.at);
    }
    return late.filter((event) => !isAnswered(event) && this.run.actor(event.actor).blocked);
  }

  /** The past at this decision: every choice adds an event, so that it is read once for each decision. */
  static of(run: Run): Past {
    const { length: events } = run.eventLog.events;
    const latest = Past.latest.get(run);
    if (latest?.events === events) return latest.past;
    const past = new Past(run);
    Past.latest.set(run, { past, events });
    return past;
  }

  seenBy(actor: string): readonly unknown[] {
    return this.seen.get(actor) ?? [];
  }

  /** True when something that a server has received, or the memory of a process, may depend on the actor's name. It stays true. */
  hasWritten(actor: string): boolean {
    return [...this.received.values()].some((ids) => ids.some((id) => id.startsWith(actor)));
  }

  /** A statement of the actor waits for a lock. */
  isWaiting(actor: string): boolean {
    return this.waiting.some((event) => event.actor === actor);
  }

  /** What each list has received; the order of the lists means nothing. */
  writes(): Iterable<readonly [list: string, received: readonly string[]]> {
    return this.received;
  }

  private add(event: ScheduleEvent): void {
    switch (event.type) {
      case 'step':
        this.addStep(event);
        break;
      case 'end':
      case 'warn':
        this.see(event.actor, event.text);
        break;
      case 'fault':
        this.addFault(event);
        break;
      case 'time':
        this.addLockChanges(event);
        if (event.locks === undefined) this.receive(this.listsOfDatabase(), 'a lock wait may have ended');
    }
  }

  /** `at`: when it was answered. */
  private addStep(event: StepEvent, at = event.at): void {
    const { actor, verb, text } = event;
    const step = this.run.eventLog.stepOf(event);
    const holdings = this.holdingsOf(actor);
    const transaction = transactionIn(this.run, holdings, step);
    const accesses = accessesOf(this.run, step, this.run.actor(actor), holdings);
    const name = this.transactionNamed(actor, step);
    const { timer, fault, reply, error, errorCode } = comparable({
      ...event,
      reply: this.run.eventLog.replyOf(event),
    });
    const snapshot =
      isRead(accesses) && transaction !== undefined ? this.snapshot(name, transaction) : undefined;
    // the transaction that it waited for was rolled back: then it holds a lock on the gap as well
    const hasGap = event.answeredAt !== undefined && verb === 'INSERT' && hasFoundRow(event.reply);
    const id = this.see(actor, { text, at, timer, fault, reply, error, errorCode, snapshot, hasGap });
    if (event.fault !== undefined && NOT_SENT.has(event.fault)) return;
    if (endsTransaction(step) || commitsOpenTransaction(holdings, step)) this.hasSnapshot.delete(name);
    if (step.kind === 'sql') updateHoldings(holdings, step, event.reply);
    if (event.fault === 'lose-reply' && step.connection !== undefined)
      forgetSession(holdings, step.connection);
    if (text.includes(LOCK_TABLE) || requestsNamedLock(event) || verb === 'LOCK') this.locksInDatabase = true;
    if (accesses === 'everything') {
      this.receive([event.kind], id);
      return;
    }
    if (accesses.some(({ part }) => part === 'committed') && !isRead(accesses)) this.commits++;
    if (hasNoEffect(event) || (step.lock?.onlyIf !== undefined && event.lock?.done === false)) return;
    const changes = accesses.filter(({ writes, part }) => writes && part !== 'committed'); // a commit writes rows as well
    this.receive(
      changes.flatMap((access) => this.listsOf(access)),
      id,
    );
  }

  /** The lists of what an access changes. */
  private listsOf({ part, of, key = '' }: Access): readonly string[] {
    const owners = part === 'rows' && of === '*' ? this.balances : [of];
    return owners.flatMap((owner) => {
      const prefix = `${part} ${owner} `;
      return [`${prefix}${key}`, ...(key === '*' ? this.listsWith(prefix) : [])];
    });
  }

  /** The number of commits that the snapshot of a transaction contains, at the plain SELECT that takes it, or may take it. */
  private snapshot(name: string, { isInDoubt }: Transaction): number | undefined {
    if (this.hasSnapshot.has(name) && !isInDoubt) return undefined;
    this.hasSnapshot.add(name);
    return this.commits;
  }

  /** An actor has one open transaction; foreign code may have one in each of its sessions. */
  private transactionNamed(actor: string, { connection }: Pick<Step, 'connection'>): string {
    return this.run.subject.isForeign === true ? `${actor} ${connection}` : actor;
  }

  private addFault(event: FaultEvent): void {
    this.addLockChanges(event);
    const { fault, subject } = event;
    if (fault === 'flush') this.receive(this.listsOfServer(subject === 'redis' ? '' : subject), fault);
    if (fault !== 'kill' && fault !== 'in-flight' && fault !== 'lost-session') return;
    const victims = this.run.actors.filter(({ process }) => process.name === subject).map(({ name }) => name);
    const isInDatabase = fault === 'in-flight' || victims.some((name) => this.isInTransaction(name));
    if (isInDatabase || this.locksInDatabase) this.receive(this.listsOfDatabase(), `${fault} ${subject}`);
    for (const name of victims) {
      forgetSessions(this.holdingsOf(name));
      this.hasSnapshot.delete(name);
    }
  }

  /** Leases that ended, and locks that a restart has lost: any server may have had them. */
  private addLockChanges({ locks = [] }: ScheduleEvent): void {
    for (const { key, change } of locks) {
      const inDatabase = this.locksInDatabase ? this.listsOfDatabase() : [];
      this.receive([...this.listsOfServer(), ...inDatabase], `${change} ${key}`);
    }
  }

  /** The lists of a lock server that has received a write; absent: of all. */
  private listsOfServer(server?: string): readonly string[] {
    return this.listsWith(server === undefined ? 'keys ' : `keys ${server} `);
  }

  /** The lists of a database that has received something that may concern any row. */
  private listsOfDatabase(): readonly string[] {
    return this.listsOf({ part: 'rows', of: '*', key: '*', writes: true });
  }

  private listsWith(prefix: string): readonly string[] {
    return [...this.received.keys()].filter((list) => list.startsWith(prefix));
  }

  private holdingsOf(actor: string): Holdings {
    return this.holdings.get(actor) ?? nothingHeld();
  }

  private isInTransaction(actor: string): boolean {
    return this.holdingsOf(actor).transactions.size > 0;
  }

  /** Returns the name of the event: the actor, and how many events it had seen. */
  private see(actor: string, what: unknown): string {
    const seen = this.seen.get(actor) ?? [];
    return `${actor}${seen.push(what)}`;
  }

  private receive(lists: readonly string[], what: string): void {
    for (const list of new Set(lists)) {
      const received = this.received.get(list);
      if (received === undefined) this.received.set(list, [what]);
      else received.push(what);
    }
  }
}

const isAnswered = ({ reply, error }: Pick<StepEvent, 'reply' | 'error'>): boolean =>
  reply !== undefined || error !== undefined;

const isAnsweredAtOnce = (event: StepEvent): boolean => isAnswered(event) && event.answeredAt === undefined;

/** A plain SELECT. */
const isRead = (accesses: readonly Access[] | 'everything'): boolean =>
  accesses !== 'everything' && accesses.some(({ part, writes }) => part === 'committed' && !writes);

/** Faults of steps that no server received. */
const NOT_SENT: ReadonlySet<string> = new Set<StepEvent['fault'] & string>(['error', 'cut', 'server-down']);

/** The reply says that the command has changed nothing: the key exists already, or does not exist. With GET it says what was there. */
const hasNoEffect = ({ kind, verb, text, reply, error }: StepEvent): boolean =>
  kind === 'redis' &&
  error === undefined &&
  !/ GET\b/i.test(text) &&
  /^(SET|SETNX|DEL|P?EXPIRE)$/.test(verb) &&
  (reply === null || reply === 0);
