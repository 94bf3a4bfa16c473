import type { ActorProcess } from '../actors';
import type { Run } from '../execution';
import type { StepInfo } from '#lab/step';
import { mayWaitForLock, isMovement } from '../world';
import { faultOf, stepOf, type Choice } from '../schedule';

/**
 * What a choice touches, as far as other actors can notice. Two choices are independent when they commute and
 * neither makes the other one possible or impossible; then only one of their two orders has to be explored.
 *
 * - `nothing`: START TRANSACTION takes no snapshot (InnoDB takes it at the first read) and no lock; the INSERT of a
 *   movement adds a row that nobody waits for or reads before COMMIT (only its id shows the order, and no verdict
 *   reads ids); work is a held timer. None of them is seen by anybody.
 * - `sql-read`: a plain SELECT sees what is committed, so only the end of a transaction matters to it: an UPDATE that
 *   is not committed does not.
 * - `sql-lock`: UPDATE and SELECT … FOR UPDATE take row locks: they matter to each other and to the end of a
 *   transaction. Without a transaction around it a write is its own end.
 * - `sql-end`: COMMIT and ROLLBACK show what was written and free who waits.
 * - `redis-read`, `redis-write`: all keys of a server count as one; servers know nothing of one another.
 *   The same words for ZooKeeper and etcd.
 * - `process`: an in-process mutex; whatever its process-mates do may free it. And the death of a process that leaves
 *   nothing behind which a server would notice: a step of another process comes to the same before and after it.
 * - `everything`: all other faults, and steps of timers.
 *
 * Waiters of `wait=notify` in one line are woken by each other without any step, and variables of a strategy's modules are
 * read and written without any: the order of the steps of one process always matters then. Requests of two processes that
 * touch two balances are independent.
 */
type Effect =
  'nothing' | 'sql-read' | 'sql-lock' | 'sql-end' | 'redis-read' | 'redis-write' | 'process' | 'everything';

export interface Footprint {
  readonly actor: string;
  readonly process: string;
  readonly effect: Effect;
  /** It meets others of its process in memory: in a line of waiters, or in variables of the strategy's modules. */
  readonly inMemory: boolean;
  /** The only balance that its actor touches; `*`: several, or unknown. */
  readonly balance: string;
  /** The Redis that is touched; `*`: any. */
  readonly server: string;
}

const OF_NO_ACTOR = { actor: '', inMemory: false, balance: '*', server: '*' } as const;

/** Rows of locks lie side by side in one index: a gap between them may be locked for two balances. */
const balanceOf = (cart: readonly string[] | undefined, { text }: StepInfo): string =>
  cart?.length === 1 && !text.includes('balance_lock') ? (cart[0] ?? '*') : '*';

/** The footprint of a choice at this point of a schedule. */
export function footprint(run: Run, choice: Choice): Footprint {
  const held = stepOf(run, choice);
  const kind = choice.charAt(0);
  const victim = kind === 'K' ? run.processes[Number(choice.charAt(1)) - 1] : undefined;
  if (victim !== undefined) {
    const effect = leavesNothing(run, victim) ? 'process' : 'everything';
    return { ...OF_NO_ACTOR, process: victim.name, effect };
  }
  if (held === undefined || !/^[a-cEQT]/.test(kind)) {
    // With no timer set, a lease that ends is nothing but a key that Redis deletes.
    const isDeletion = kind === 'L' && !run.hasTimeouts;
    const effect = isDeletion ? 'redis-write' : 'everything';
    return { ...OF_NO_ACTOR, process: '', effect };
  }
  const actor = run.actor(held.task.actor);
  const { step } = held;
  return {
    actor: actor.name,
    process: actor.process.name,
    inMemory: run.setup.options.wait === 'notify' || run.mayKeepState,
    balance: balanceOf(actor.cart, step),
    server: step.kind === 'redis' ? (step.server ?? '') : '*', // waiting ends with a change at any of them
    effect:
      faultOf(choice) === undefined
        ? effectOf(step, actor.holdings.transactions.size > 0)
        : effectOfFailure(effectOf(step, true)),
  };
}

/**
 * No transaction that the database would roll back, no timer that is forgotten, and no lock without an end: some plans let
 * a process die only while it has such a one, which another process may take from it.
 */
const leavesNothing = (run: Run, process: ActorProcess): boolean =>
  run.setup.options.wait !== 'notify' && // a waiter who dies leaves its place in line to another one
  !run.hasTimeouts &&
  run.actors
    .filter((actor) => actor.process === process)
    .every(
      (actor) =>
        actor.openSessions().size === 0 &&
        !run.locks.states().some(({ owner, expiresAt }) => owner === actor.name && expiresAt === undefined),
    );

/** A step that fails is as visible as one that does not; what its actor does next is another step. */
const effectOfFailure = (effect: Effect): Effect => (effect === 'nothing' ? 'everything' : effect);

function effectOf(step: NonNullable<ReturnType<typeof stepOf>>['step'], inTransaction: boolean): Effect {
  switch (step.kind) {
    case 'redis':
      if (step.verb === 'WAIT') return 'nothing'; // the replicas have it anyway, or not
      return /^(GET|MGET|EXISTS|PTTL|TTL)$/.test(step.verb) ? 'redis-read' : 'redis-write';
    case 'local':
      return 'process';
    case 'timer':
      return step.verb === 'WORK' ? 'nothing' : 'redis-write';
    case 'sql':
      if (step.verb === 'START' || (isMovement(step.text) && inTransaction)) return 'nothing';
      if (mayWaitForLock(step)) return inTransaction ? 'sql-lock' : 'sql-end';
      return step.verb === 'SELECT' && !step.text.includes('RELEASE_LOCK(') ? 'sql-read' : 'sql-end';
    case 'zk':
    case 'etcd':
      if (step.verb === 'GRANT') return 'nothing'; // a lease that no key hangs on yet
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
