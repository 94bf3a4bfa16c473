import type { Actor, ActorProcess, HeldStep } from '../actors';
import { LOCK_SERVER_KINDS, whyUnreachable, type Run } from '../execution';
import { LOCK_TABLE } from '#lab/locks';
import type { Step } from '#lab/step';
import {
  commitsImplicitly,
  endsTransaction,
  freesTables,
  isMovement,
  isRedisWrite,
  mayWaitForLock,
  namedLockWaitMs,
  onlyReads,
  preparesTransaction,
  releasesNamedLock,
  rowLockedBy,
  startsTransaction,
  transactionOf,
  type Holdings,
  type Transaction,
} from '../world';
import { enabledSteps, stepOf, type ActorChoice, type Choice, type ProcessChoice } from '../schedule';
import { TokenNames } from './token-names';

/** A part of the servers or of a process that a choice reads or changes. */
export interface Access {
  /**
   * - `rows`: the locks of rows of a balance; `committed`: what a plain SELECT of it sees
   * - `tables`: which tables of foreign code there are, and the locks of whole tables
   * - `keys`: the keys of a lock server
   * - `link`: the connection of a process to the lock servers, or of a lock server to all processes
   * - `memory`: what the requests of a process share, and whether it is alive
   * - `clock`: the time
   */
  readonly part: 'rows' | 'committed' | 'tables' | 'keys' | 'link' | 'memory' | 'clock';
  /** The balance, the server, or the process; `*`: any, or the one clock. */
  readonly of: string;
  /**
   * Key of a lock server, or a row (see `rowLockedBy`); `*`: any, or unknown. Absent for other parts. In a footprint, random tokens are
   * replaced by names: see `TokenNames`.
   */
  readonly key?: string;
  readonly writes: boolean;
}

/**
 * The accesses of a choice that other actors can notice. Two choices are independent when they commute and neither
 * enables or disables the other; then only one of their two orders has to be explored.
 *
 * Steps:
 * - START TRANSACTION takes no snapshot (InnoDB takes it at the first read) and no lock, unless it ends LOCK TABLES or an open
 *   transaction; SET TRANSACTION only prepares it; the
 *   INSERT of a movement adds a row that no session waits for or reads before COMMIT (only its id shows the order, and no verdict
 *   reads ids); the work (a timer step WORK) sends nothing; WAIT of Redis, GRANT of etcd: no access.
 * - A plain SELECT reads committed data, so only the end of a transaction affects it; an uncommitted UPDATE does not. One of foreign
 *   code that may call a function, or reads what is not a table (`onlyReads`, `TablesThatShowMore`), counts as a write.
 * - CREATE TABLE IF NOT EXISTS outside of a transaction reads the tables when its table exists (`SettledTables`): no transaction on it
 *   makes it wait.
 * - A statement on rows of locks writes keys as well.
 * - UPDATE and SELECT … FOR UPDATE write row locks. In the lab's own code a statement on a known row (`rowLockedBy`) writes the lock of
 *   this row only, and accesses nothing when its transaction has locked the row: no other transaction can lock it before COMMIT.
 *   COMMIT writes the locks of its transaction, and what is committed if the transaction has changed something; ROLLBACK writes the
 *   locks. A write outside of a transaction is locked and committed at once.
 * - Commands of Redis access the keys that they name. Commands of ZooKeeper and etcd, and code whose scripts may use keys that
 *   they do not declare, access all keys of the server that belong to their balance.
 * - mkdir and rmdir access the name of their directory.
 * - A wait between two attempts (a timer step WAIT) reads the keys: a change of the lock ends it.
 * - A command for a lock server that is not reachable is not sent: no access, or a read of the clock (`readsOfClock`).
 * - An in-process mutex writes the memory of its process, because any step of the same process may free it.
 *
 * Faults:
 * - A dead process ends its requests and rolls back its transactions; its keys stay. When its last statement arrives later, it has
 *   the accesses of that statement, and then its session ends.
 * - The sessions of a process whose host is down stay, and with them its locks: only the process itself ends.
 * - A process that is cut off fails at its next command for a lock server, and dies without sending it.
 * - When time advances and no code can notice it (no timer, no session), leases end, which is a write of keys and of the clock.
 *   Otherwise it concerns everything.
 *
 * Waiters of `wait=notify` in one queue wake each other without a step, and module variables of a strategy are read
 * and written without one: with either, each step writes the memory of its process.
 */
export interface Footprint {
  /** Its actor; undefined: none. */
  readonly actor: string | undefined;
  /** `everything`: it depends on every other choice. */
  readonly accesses: readonly Access[] | 'everything';
  /** Further reads, which only decide what the accesses are: the choice accesses less than it otherwise would. */
  readonly decidedBy?: readonly Access[];
}

/**
 * The only balance that a step of an actor with this cart may concern; `*`: any. Rows of locks are neighbors in one index: until
 * its transaction ends, a statement on one may hold a gap lock that another balance waits for.
 */
const balanceOf = (
  cart: readonly string[] | undefined,
  { text }: Pick<Step, 'text'>,
  transaction: Transaction | undefined,
): string =>
  cart?.length !== 1 ||
  (transaction !== undefined && (text.includes(LOCK_TABLE) || transaction.usesNeighbors))
    ? '*'
    : (cart[0] ?? '*');

/** The choices whose accesses are those of one step. */
const IS_STEP: ReadonlySet<Choice['kind']> = new Set(['step', 'timer-step', 'error', 'lose-reply'] as const);

/** The footprint of a choice in the current state of a run. Footprints of different runs can be compared. */
export function footprint(run: Run, choice: Choice): Footprint {
  const held = stepOf(run, choice);
  const actor = held === undefined ? undefined : run.actor(held.task.actor);
  const names = TokenNames.of(run);
  if (held !== undefined) names.replaceIn(held.step.text, held.task.actor); // names all its tokens, also those that are in no key
  const isStep = held !== undefined && actor !== undefined && IS_STEP.has(choice.kind);
  const { accesses, decidedBy } = isStep
    ? accessesOfStep(run, held, actor)
    : choice.kind === 'arrival'
      ? accessesOfArrival(run, run.actor(choice.actor))
      : { accesses: accessesOfFault(run, choice) };
  return {
    actor: actor?.name,
    accesses: accesses === 'everything' ? accesses : accesses.map((access) => named(names, access)),
    ...(decidedBy !== undefined && { decidedBy: decidedBy.map((access) => named(names, access)) }),
  };
}

/** The footprint with everything that decides it. */
export const whole = (footprint: Footprint): Footprint =>
  footprint.accesses === 'everything' || footprint.decidedBy === undefined
    ? footprint
    : { ...footprint, accesses: [...footprint.accesses, ...footprint.decidedBy] };

const named = (names: TokenNames, access: Access): Access =>
  access.key === undefined ? access : { ...access, key: names.replaceIn(access.key) };

/** As in `Footprint`. */
interface Effects {
  readonly accesses: readonly Access[] | 'everything';
  readonly decidedBy?: readonly Access[] | undefined;
}

function accessesOfStep(run: Run, { step }: HeldStep, actor: Actor): Effects {
  const { accesses: effects, decidedBy } = effectsOf(run, step, actor);
  // the code behind another step of the actor, which any step may let continue, may change what the code behind this one reads
  const isBesideAnother = actor.tasks.some(({ inFlightSteps }) => inFlightSteps.size > 0);
  if (effects === 'everything' || (run.subject.isForeign === true && isBesideAnother))
    return { accesses: 'everything' };
  const isShared = run.setup.options.wait === 'notify' || run.subject.keepsState;
  const accesses: Access[] = [...effects, { part: 'memory', of: actor.process.name, writes: isShared }];
  const links = linksOf(step, actor.process);
  return whyUnreachable(run, actor.process, step) === undefined
    ? { accesses: [...accesses, ...links], decidedBy }
    : { accesses, decidedBy: links };
}

/** The connections over which a step is sent: a fault may end them. */
const linksOf = ({ kind, server }: Step, { name }: ActorProcess): readonly Access[] =>
  [...(LOCK_SERVER_KINDS.has(kind) ? [name] : []), ...(server === undefined ? [] : [server])].map((of) => ({
    part: 'link',
    of,
    writes: false,
  }));

/** The accesses of a step at its server. */
function effectsOf(run: Run, step: Step, actor: Actor): Effects {
  if (whyUnreachable(run, actor.process, step) !== undefined) return { accesses: readsOfClock(run) };
  const accesses = withoutEffect(run, step);
  return accesses === undefined
    ? { accesses: accessesOf(run, step, actor, actor.holdings) }
    : { accesses, decidedBy: readsOf(step) };
}

/** A client of several servers reads its clock behind each command. */
const readsOfClock = ({ parts }: Run): readonly Access[] => (parts === 1 ? [] : [READ_OF_CLOCK]);

const READ_OF_CLOCK: Access = { part: 'clock', of: '*', writes: false };

const readsOf = ({ server = '', keys = [] }: Step): readonly Access[] =>
  keys.map((key) => ({ part: 'keys', of: server, key, writes: false }));

/** The transaction that a statement belongs to. Foreign code may send one beside its open transactions, over another session. */
export const transactionIn = (
  { subject }: Run,
  holdings: Holdings,
  step: Pick<Step, 'connection'>,
): Transaction | undefined =>
  subject.isForeign === true && step.connection !== undefined
    ? holdings.transactions.get(step.connection)
    : transactionOf(holdings, step);

/**
 * The accesses of a command on a lock that will change nothing. One that needs a free lock reads its keys. One that needs our token
 * reads nothing, or the clock: no other actor can give us the lock, so its reply is the same before and after any other choice.
 * Undefined: it may change something.
 */
function withoutEffect(run: Run, step: Step): readonly Access[] | undefined {
  if (run.subject.declaresKeys !== true || !run.locks.isWithoutEffect(step)) return undefined;
  return step.lock?.onlyIf === 'owner' ? readsOfClock(run) : readsOf(step);
}

/** A choice that no other actor can notice: it only depends on its process. */
export const isInvisibleTo = ({ accesses }: Footprint): boolean =>
  accesses !== 'everything' && accesses.every(({ part, writes }) => part === 'memory' && !writes);

function accessesOfFault(run: Run, choice: Choice): readonly Access[] | 'everything' {
  if (run.subject.hasInvariants === true && mayBeLastFault(run)) return 'everything';
  switch (choice.kind) {
    case 'kill':
    case 'lost-session':
      return accessesOfEnd(run, processOf(run, choice));
    case 'host-down': {
      const process = processOf(run, choice);
      // a statement that waits is executed later, and its request may end with it
      const isWaiting = run.actors.some((actor) => actor.process === process && actor.blocked);
      if (run.setup.options.wait === 'notify' || isWaiting) return 'everything';
      return [{ part: 'memory', of: process.name, writes: true }];
    }
    case 'in-flight':
      return accessesOfDeathInFlight(run, choice);
    case 'cut': {
      if (run.setup.options.wait === 'notify') return 'everything'; // messages no longer reach its waiters
      const process = processOf(run, choice);
      const link: Access = { part: 'link', of: process.name, writes: true };
      return run.inbox.isSubscribed(process) ? [link, READ_OF_ANY_KEY] : [link]; // a change may send it a message
    }
    case 'flush':
    case 'server-down': {
      if (run.setup.options.wait === 'notify' || run.subscribers.length > 0) return 'everything';
      const of = serverOf(run, choice.server);
      const keys: Access = { part: 'keys', of, key: '*', writes: true };
      return choice.kind === 'flush' ? [keys] : [keys, { part: 'link', of, writes: true }];
    }
    case 'lapse':
    case 'pause':
    case 'slow':
      return run.hasTimeouts ? 'everything' : accessesOfTime(run);
    case 'overrun':
    case 'resume':
    case 'tick':
    case 'step':
    case 'timer-step':
    case 'arrival':
    case 'error':
    case 'lose-reply':
      return 'everything';
  }
}

/** The order of the choice and of the end of a lease matters. */
export const dependsOnLeases = ({ accesses }: Footprint): boolean =>
  accesses === 'everything' || accesses.some(({ part }) => part === 'keys' || part === 'clock');

/** The next step may disable all faults: after the last request has ended, and while every request waits, there is none. */
const mayBeLastFault = (run: Run): boolean =>
  enabledSteps(run).length <= 1 || run.actors.filter(({ outcome }) => outcome === undefined).length <= 1;

const ANY_KEY: Access = { part: 'keys', of: '*', key: '*', writes: true };
const READ_OF_ANY_KEY: Access = { ...ANY_KEY, writes: false };

/** A statement on rows of locks: they may have leases, and actors may wait for them. */
const ANY_ROW_OF_LOCKS: Access = { ...ANY_KEY, of: 'rows of locks' };

/** Leases end: keys are deleted, and rows of locks change. */
const accessesOfTime = ({ locks, lockStores }: Run): readonly Access[] => {
  const areKeys = locks
    .expiring()
    .every((lease) => lockStores.some(({ name, pipelined }) => name === lease.store && pipelined));
  return [ANY_KEY, { part: 'clock', of: '*', writes: true }, ...(areKeys ? [] : endOfTransaction('*'))];
};

const processOf = (run: Run, { process: number }: ProcessChoice): ActorProcess => {
  const process = run.processes[number - 1];
  if (process === undefined) throw new RangeError(`there is no process ${number}`);
  return process;
};

const serverOf = (run: Run, number: number | undefined): string =>
  number === undefined ? '' : (run.ownRedises[number - 1]?.name ?? '*');

/** The end of a process, or of its sessions. */
function accessesOfEnd(run: Run, process: ActorProcess): readonly Access[] | 'everything' {
  if (run.setup.options.wait === 'notify') return 'everything'; // a dead waiter leaves its place in the queue to another one
  const members = run.actorsOf(process);
  const ended = members.filter((actor) => actor.openSessions().size > 0);
  // some plans kill a process only while it holds such a lock, which another process may take from it
  const holdsForever = run.locks
    .states()
    .some(({ owner, expiresAt }) => expiresAt === undefined && members.some(({ name }) => name === owner));
  return [
    { part: 'memory', of: process.name, writes: true },
    ...ended.flatMap((actor) => endOfTransactionsOf(run, actor)),
    ...(holdsForever ? [READ_OF_ANY_KEY] : []),
    // what its command waits for may already be in its hands
    ...(members.some((actor) => actor.hasBlockingCommand) ? [ANY_KEY] : []),
  ];
}

/** A process that is cut off dies without sending its statement. */
function accessesOfDeathInFlight(run: Run, choice: ActorChoice): readonly Access[] | 'everything' {
  const ended = accessesOfEnd(run, run.actor(choice.actor).process);
  const held = stepOf(run, choice);
  if (ended === 'everything' || held === undefined) return 'everything';
  return [...ended, ...linksOf(held.step, run.actor(choice.actor).process)];
}

/** A statement of a dead process arrives; then its session ends. */
function accessesOfArrival(run: Run, actor: Actor): Effects {
  const { orphanedStep } = actor;
  if (orphanedStep === undefined || run.setup.options.wait === 'notify') return { accesses: 'everything' };
  const { step } = orphanedStep;
  const { accesses: effects, decidedBy } = effectsOf(run, step, actor);
  if (effects === 'everything') return { accesses: effects };
  const ended = step.kind === 'sql' ? endOfTransactionsOf(run, actor) : [];
  return { accesses: [...effects, ...ended, ...linksOf(step, actor.process)], decidedBy };
}

/** The transactions of an actor are rolled back, and its sessions end. */
function endOfTransactionsOf(run: Run, { cart = ['*'], holdings, blocked }: Actor): readonly Access[] {
  const transactions = [...holdings.transactions.values()];
  const balances = transactions.some(({ usesNeighbors }) => usesNeighbors) ? ['*'] : cart;
  // a request that waits, a named lock and locks of tables end with the session
  const areKnown = !blocked && holdings.names.size + holdings.tables.size === 0;
  const rows = new Set(transactions.flatMap((transaction) => lockedBy(run, transaction)));
  return balances.flatMap((balance) => locksOn(areKnown ? rows : ANY_ROW, balance));
}

/** The rows that a transaction may have locked. */
const lockedBy = (run: Run, { locked }: Transaction): readonly string[] =>
  hasKnownRows(run) && !locked.has('*') ? [...locked] : ANY_ROW;

/** The lab's own code, without isolation levels in which a plain SELECT takes locks. */
const hasKnownRows = ({ subject, eventLog }: Run): boolean =>
  subject.declaresKeys === true && !eventLog.hasStrictReads;

const ANY_ROW: readonly string[] = ['*'];

const locksOn = (rows: Iterable<string>, balance: string): readonly Access[] =>
  Array.from(rows, (key) => ({ part: 'rows', of: balance, key, writes: true }));

/** Locks of rows end, and a change may be committed. */
const endOfTransaction = (balance: string, rows: readonly string[] = ANY_ROW): readonly Access[] => [
  ...locksOn(rows, balance),
  { part: 'committed', of: balance, writes: true },
];

/** The step's verb, text and server, as a step or its event has them. */
type Described = Pick<Step, 'kind' | 'verb' | 'text' | 'key' | 'keys' | 'server' | 'connection'>;

/** The actor of a step, as far as its accesses depend on it. */
interface Accessing {
  readonly process: Pick<ActorProcess, 'name'>;
  readonly cart?: readonly string[] | undefined;
}

/** What other actors can notice of a step, besides that its process is alive. */
export function accessesOf(
  run: Run,
  step: Described,
  actor: Accessing,
  holdings: Holdings,
): readonly Access[] | 'everything' {
  const transaction = transactionIn(run, holdings, step);
  const balance = balanceOf(actor.cart, step, transaction);
  switch (step.kind) {
    case 'redis':
      return step.verb === 'WAIT' ? [] : accessesOfCommand(run, step, balance); // replicas receive the write independently of WAIT
    case 'local':
      return [{ part: 'memory', of: actor.process.name, writes: true }];
    case 'timer':
      return step.verb === 'WORK'
        ? []
        : [keyOf(run, step, balance), ...(actor.cart ?? [])].map((key) => ({
            part: 'keys',
            of: '*',
            key,
            writes: false,
          }));
    case 'sql': {
      const tables = tablesUsedBy(run, step);
      if (transaction === undefined && tables === 'read') return [{ part: 'tables', of: '*', writes: false }];
      const accesses = freesTables(holdings, step)
        ? endOfTransaction(balance)
        : accessesOfStatement(run, step, balance, transaction);
      return [
        ...accesses,
        ...(tables === 'changed' ? [{ part: 'tables' as const, of: '*', writes: true }] : []),
        ...(isOnRowsOfLocks(run, step) ? [ANY_ROW_OF_LOCKS] : []),
        ...(namedLockWaitMs(step) === undefined ? [] : [READ_OF_CLOCK]), // its wait ends at a time
      ];
    }
    case 'zk':
    case 'etcd': {
      if (step.verb === 'GRANT') return []; // a lease without a key
      const writes = !/^(CHILDREN|GET|RANGE)$/.test(step.verb);
      return [{ part: 'keys', of: step.kind, key: balance, writes }];
    }
    case 'fs':
      return [{ part: 'keys', of: 'fs', key: keyOf(run, step, balance), writes: true }];
    case 'http':
      return 'everything';
  }
}

/** What a statement of foreign code does to tables as a whole. */
function tablesUsedBy({ subject, world }: Run, step: Described): 'read' | 'changed' | undefined {
  if (subject.isForeign !== true) return undefined;
  if (world.tables.hasTableOf(step)) return 'read';
  return world.tables.mayChange(step) ? 'changed' : undefined;
}

/** A statement on a row of the lab's table of locks, or a write in a table of its own code. */
const isOnRowsOfLocks = ({ subject, lockStores }: Run, step: Described): boolean =>
  step.text.includes(LOCK_TABLE) ||
  (subject.declaresKeys !== true && lockStores.some((store) => !store.pipelined && store.touchedBy(step)));

/** A write in Redis may send a message to a subscriber. */
function accessesOfCommand(run: Run, step: Described, balance: string): readonly Access[] | 'everything' {
  const writes = isRedisWrite(step) || step.verb.endsWith('SUBSCRIBE'); // a message reaches only those that have subscribed
  if (writes && run.subscribers.length > 0) return 'everything';
  const { server = '', keys = [] } = step;
  const known = run.subject.declaresKeys === true && keys.length > 0 ? keys : [keyOf(run, {}, balance)];
  return known.map((key) => ({ part: 'keys', of: server, key, writes }));
}

/** The key of a step; where keys are not declared, the name of a balance stands for all keys of its locks. */
const keyOf = (run: Run, { key = '*' }: Pick<Step, 'key'>, balance: string): string =>
  run.subject.declaresKeys === true ? key : balance;

/** With strict isolation levels a plain SELECT takes locks, too. */
function accessesOfStatement(
  run: Run,
  step: Described,
  balance: string,
  transaction: Transaction | undefined,
): readonly Access[] {
  const inTransaction = transaction !== undefined;
  const isForeign = run.subject.isForeign === true;
  if (startsTransaction(step)) return isForeign && inTransaction ? endOfTransaction(balance) : []; // it commits the open one
  if (preparesTransaction(step) || (isMovement(step.text) && inTransaction)) return [];
  if (inTransaction && endsTransaction(step)) {
    const rows = lockedBy(run, transaction);
    const commitsChange = step.verb === 'COMMIT' && (isForeign || transaction.hasWritten); // a function may have written
    return commitsChange ? endOfTransaction(balance, rows) : locksOn(rows, balance);
  }
  const row = hasKnownRows(run) ? rowLockedBy(step) : undefined;
  if (row !== undefined && transaction?.ownRows.has(row) === true) return [];
  const rows = row === undefined ? ANY_ROW : [row];
  const isLocking = mayWaitForLock(step);
  const commits = isForeign && (transaction?.isInDoubt === true || commitsImplicitly(step));
  if (isLocking && inTransaction && !commits) return locksOn(rows, balance);
  const mayWrite =
    releasesNamedLock(step) || (isForeign && (!onlyReads(step) || run.world.showingMore.areIn(step)));
  if (!isLocking && step.verb === 'SELECT' && !mayWrite)
    return run.eventLog.hasStrictReads
      ? locksOn(rows, balance)
      : [{ part: 'committed', of: balance, writes: false }];
  return endOfTransaction(balance, rows);
}

const overlap = (a: string, b: string): boolean => a === b || a === '*' || b === '*';

const conflict = (a: Access, b: Access): boolean =>
  a.part === b.part && (a.writes || b.writes) && overlap(a.of, b.of) && overlap(a.key ?? '', b.key ?? '');

/** True when the order of the two choices may matter. */
export function dependent(a: Footprint, b: Footprint): boolean {
  if (a.actor !== undefined && a.actor === b.actor) return true;
  const [ofA, ofB] = [a.accesses, b.accesses];
  if (ofA === 'everything' || ofB === 'everything') return true;
  return ofA.some((one) => ofB.some((other) => conflict(one, other)));
}
