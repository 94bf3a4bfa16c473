import type { ActorProcess } from '../actors';
import type { Run } from '../execution';
import { LOCK_TABLE } from '#lab/locks';
import type { Step } from '#lab/step';
import { mayWaitForLock, isMovement, preparesTransaction, releasesNamedLock } from '../world';
import { faultOf, stepOf, type Choice } from '../schedule';

/**
 * The effects of a choice that other actors can notice. Two choices are independent when they commute and neither
 * enables or disables the other; then only one of their two orders has to be explored.
 *
 * - `nothing`: START TRANSACTION takes no snapshot (InnoDB takes it at the first read) and no lock, SET TRANSACTION only
 *   prepares it; the INSERT of a movement adds a row that no session waits for or reads before COMMIT (only its id shows the order, and no verdict
 *   reads ids); the work (a timer step WORK) sends nothing; WAIT of Redis and GRANT of etcd. No other actor notices them.
 * - `sql-read`: a plain SELECT reads committed data, so only the end of a transaction affects it; an uncommitted
 *   UPDATE does not.
 * - `sql-lock`: UPDATE and SELECT … FOR UPDATE take row locks: they conflict with each other and with the end of a
 *   transaction. A write outside a transaction commits at once: `sql-end`.
 * - `sql-end`: COMMIT and ROLLBACK publish writes and unblock waiters.
 * - `redis-read`, `redis-write`: all keys of a server count as one; servers are independent. Also used for ZooKeeper
 *   and etcd, and for the waits (timer step WAIT) that a change of a lock ends.
 * - `process`: an in-process mutex; any step of the same process may free it. Also the death of a process that leaves
 *   nothing that a server would notice: steps of other processes have the same effect before and after it.
 * - `everything`: all other faults, a failure of a step that is `nothing`, HTTP and file steps. A choice
 *   `timer-step` has the effect of its step.
 *
 * Waiters of `wait=notify` in one queue wake each other without a step, and module variables of a strategy are read
 * and written without one: with either, the order of steps of one process always matters. Steps on
 * different balances are independent, unless their actors share memory.
 */
type Effect =
  'nothing' | 'sql-read' | 'sql-lock' | 'sql-end' | 'redis-read' | 'redis-write' | 'process' | 'everything';

export interface Footprint {
  readonly actor: string;
  readonly process: string;
  readonly effect: Effect;
  /** Shares memory with other actors of its process: a queue of waiters, or module variables of the strategy. */
  readonly inMemory: boolean;
  /** The only balance that its actor uses; `*`: several, or unknown. */
  readonly balance: string;
  /** The Redis that it uses; `*`: any. */
  readonly server: string;
}

const NO_ACTOR = { actor: '', inMemory: false, balance: '*', server: '*' } as const;

/**
 * The only balance that a step of an actor with this cart may concern; `*`: any. Rows of locks are neighbors in one index: two
 * balances may conflict on a gap lock.
 */
export const balanceOf = (cart: readonly string[] | undefined, { text }: Pick<Step, 'text'>): string =>
  cart?.length === 1 && !text.includes(LOCK_TABLE) ? (cart[0] ?? '*') : '*';

/** The choices whose effect is that of one step. */
const IS_STEP: ReadonlySet<Choice['kind']> = new Set(['step', 'timer-step', 'error', 'lose-reply'] as const);

/** The footprint of a choice in the current state of a run. */
export function footprint(run: Run, choice: Choice): Footprint {
  const held = stepOf(run, choice);
  const victim = choice.kind === 'kill' ? run.processes[choice.process - 1] : undefined;
  if (victim !== undefined) {
    const effect = leavesNothing(run, victim) ? 'process' : 'everything';
    return { ...NO_ACTOR, process: victim.name, effect };
  }
  if (held === undefined || !IS_STEP.has(choice.kind)) {
    // When no code can notice time (no timer, no session), a lapse is only a key that Redis deletes.
    const isDeletion = choice.kind === 'lapse' && !run.hasTimeouts;
    const effect = isDeletion ? 'redis-write' : 'everything';
    return { ...NO_ACTOR, process: '', effect };
  }
  const actor = run.actor(held.task.actor);
  const { step } = held;
  const effect = effectOf(step, actor.holdings.transactions.size > 0);
  return {
    actor: actor.name,
    process: actor.process.name,
    inMemory: run.setup.options.wait === 'notify' || run.subject.keepsState,
    balance: balanceOf(actor.cart, step),
    server: step.kind === 'redis' ? (step.server ?? '') : '*', // a change on any server ends a waiter's timer step WAIT
    effect: faultOf(choice) === undefined ? reachOf(run, effect) : effectOfFailure(effect),
  };
}

/**
 * No transaction to roll back, no timer to remove, and no lock without an expiry: some plans kill a process only
 * while it holds such a lock, which another process may take from it.
 */
const leavesNothing = (run: Run, process: ActorProcess): boolean =>
  run.setup.options.wait !== 'notify' && // a dead waiter leaves its place in the queue to another one
  !run.hasTimeouts &&
  run.actors
    .filter((actor) => actor.process === process)
    .every(
      (actor) =>
        actor.openSessions().size === 0 &&
        !run.locks.states().some(({ owner, expiresAt }) => owner === actor.name && expiresAt === undefined),
    );

/** The effect of a step in this run: a write in Redis may send a message to a subscriber, and a SELECT may take locks. */
function reachOf(run: Run, effect: Effect): Effect {
  if (effect === 'redis-write' && run.subscribers.length > 0) return 'everything';
  return effect === 'sql-read' && run.eventLog.hasStrictReads ? 'sql-lock' : effect;
}

/** A failing step is as visible as a succeeding one; the actor's reaction is another step. */
const effectOfFailure = (effect: Effect): Effect => (effect === 'nothing' ? 'everything' : effect);

/** The effect of a step, or of the event that records it. */
export function effectOf(step: Pick<Step, 'kind' | 'verb' | 'text'>, inTransaction: boolean): Effect {
  switch (step.kind) {
    case 'redis':
      if (step.verb === 'WAIT') return 'nothing'; // replicas receive the write independently of WAIT
      return /^(GET|MGET|EXISTS|PTTL|TTL)$/.test(step.verb) ? 'redis-read' : 'redis-write';
    case 'local':
      return 'process';
    case 'timer':
      return step.verb === 'WORK' ? 'nothing' : 'redis-write';
    case 'sql':
      if (
        (/^(START|BEGIN)$/.test(step.verb) && !/CONSISTENT SNAPSHOT/i.test(step.text)) ||
        preparesTransaction(step) ||
        (isMovement(step.text) && inTransaction)
      )
        return 'nothing';
      if (mayWaitForLock(step)) return inTransaction ? 'sql-lock' : 'sql-end';
      return step.verb === 'SELECT' && !releasesNamedLock(step) ? 'sql-read' : 'sql-end';
    case 'zk':
    case 'etcd':
      if (step.verb === 'GRANT') return 'nothing'; // a lease without a key
      return /^(CHILDREN|GET|RANGE)$/.test(step.verb) ? 'redis-read' : 'redis-write';
    case 'http':
    case 'fs':
      return 'everything';
  }
}

/** Pairs of effects of different actors whose order matters. */
const CONFLICTS: ReadonlySet<string> = new Set([
  'sql-end sql-end',
  'sql-end sql-lock',
  'sql-end sql-read',
  'sql-lock sql-lock',
  'redis-read redis-write',
  'redis-write redis-write',
]);

const areDistinct = (a: string, b: string): boolean => a !== '*' && b !== '*' && a !== b;

/** True when the order of the two choices may matter. */
export function dependent(a: Footprint, b: Footprint): boolean {
  if (a.actor !== '' && a.actor === b.actor) return true;
  if (a.effect === 'everything' || b.effect === 'everything') return true;
  if (a.inMemory && a.process === b.process) return true;
  if (areDistinct(a.balance, b.balance)) return false;
  if (a.effect.startsWith('redis') && b.effect.startsWith('redis') && areDistinct(a.server, b.server))
    return false;
  if (a.effect === 'process' || b.effect === 'process') return a.process === b.process;
  return CONFLICTS.has([a.effect, b.effect].sort().join(' '));
}
