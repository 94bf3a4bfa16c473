import type { LockChange } from '#lab/verdict';
import { type ActorProcess, isWaiting, LONGEST_SLEEP_MS, type Timer } from '../actors';
import type { LockExpiry } from './lock-tracker';
import type { LockStore } from '../world';
import type { Run } from './run';

/**
 * Advances time to `until`. Timers of running processes fire in order, each to its end, and a lock ends with its
 * lease. A timer that is due at the same time fires first, because holders count their lease from before the request.
 */
export async function advanceTo(run: Run, until: number): Promise<LockChange[]> {
  const { clock, locks } = run;
  const changes: LockChange[] = [];
  for (;;) {
    const timer = clock.next((actor) => isRunning(run, actor));
    const expiring = locks.expiring()[0];
    const timerDue = timer !== undefined && timer.due <= until && timer.due <= (expiring?.at ?? Infinity);
    if (timerDue) {
      clock.moveTo(timer.due);
      await run.fire(timer, true);
    } else if (expiring !== undefined && expiring.at <= until) {
      clock.moveTo(expiring.at);
      changes.push(...(await expire(run, expiring)));
    } else break;
  }
  clock.moveTo(until);
  return changes;
}

interface DueTime {
  readonly at: number;
  readonly why: string;
  /** The server ends the wait of a step, which is then answered. */
  readonly endsWait?: boolean;
}

/** The next time at which something happens without a step: a lease ends, a timer is due, a waiter gives up. */
export function nextDueTime(run: Run): DueTime | undefined {
  const timer: Timer | undefined = run.clock.next((actor) => isRunning(run, actor));
  const expiring = run.locks.expiring().find((lock) => !isRenewedByHeartbeat(run, lock));
  const waiters = run.actors
    .filter((actor) => actor.outcome === undefined && isRunning(run, actor.name) && isPatient(run))
    .flatMap((actor) => actor.held)
    .filter((held) => isWaiting(held.step) && run.dueAt(held) > run.clock.now);
  const candidates: DueTime[] = [
    ...(timer === undefined
      ? []
      : [{ at: timer.due, why: whyDue(timer), endsWait: timer.endsWait === true }]),
    ...(expiring === undefined ? [] : [{ at: expiring.at, why: `the lease of ${expiring.key} ends` }]),
    ...waiters.map((held) => ({ at: run.dueAt(held), why: `the wait of ${held.step.actor} ends` })),
  ];
  const isAwaited =
    waiters.length > 0 || run.actors.some((actor) => sleeps(run, actor) || waitsInServer(run, actor));
  return !isAwaited ? undefined : candidates.sort((a, b) => a.at - b.at)[0];
}

const whyDue = ({ actor, endsWait }: Timer): string =>
  endsWait === true ? `the wait of ${actor} ends` : `a timer of ${actor} is due`;

/** The schedule has not taken so long that code which never gives up is no longer awaited. */
const isPatient = ({ clock }: Run): boolean => clock.now < LONGEST_SLEEP_MS;

/** The actor waits for a timer that its code has set. */
const sleeps = (run: Run, actor: Run['actors'][number]): boolean =>
  actor.outcome === undefined &&
  isRunning(run, actor.name) &&
  actor.held.length === 0 &&
  actor.waitsForTimer &&
  (isPatient(run) || actor.process.realm?.timers.virtual?.mayEnd(actor.name) === true);

/** The actor waits in Redis, or for a GET_LOCK, until a time. */
const waitsInServer = (run: Run, actor: Run['actors'][number]): boolean =>
  isRunning(run, actor.name) && actor.waitsInServer;

/** Reads the next holders of the store's queues. */
const readNextHolders = async (run: Run, store: LockStore): Promise<LockChange[]> =>
  run.locks.update(store.name, await store.read(), run.clock.now, undefined, [
    String(run.setup.options.leaseMs),
  ]);

/** The actor's process sends heartbeats. */
const sendsHeartbeats = (run: Run, name: string): boolean =>
  isRunning(run, name) && !run.actor(name).process.cut;

/** Heartbeats renew the lock when its time is over, so it does not end. */
const isRenewedByHeartbeat = (run: Run, { store, key }: LockExpiry): boolean => {
  const owner = run.locks.ownerOf(key);
  const isSessionLock = run.lockStores.find(({ name }) => name === store)?.heartbeats === true;
  return isSessionLock && owner !== undefined && sendsHeartbeats(run, owner);
};

/**
 * Ends the sessions of a process, and with them its locks. A running process notices at once, by its own clock; a
 * paused one when it resumes.
 */
async function endSession(run: Run, process: ActorProcess, store: LockStore): Promise<void> {
  for (const { connections } of run.actorsOf(process)) await store.endSession?.(connections);
  process.sessionEnded = true;
  if (process.alive && !process.paused) notifySessionEnd(run, process);
}

/** Notifies the process that its session has ended; it uses a new session from now on. */
export function notifySessionEnd(run: Run, process: ActorProcess): void {
  if (!process.sessionEnded) return;
  process.sessionEnded = false;
  for (const { connections } of run.actorsOf(process)) connections.servers.zookeeper.endSession();
}

const isRunning = (run: Run, name: string): boolean => {
  const { process } = run.actor(name);
  return process.alive && !process.paused;
};

/**
 * Ends a lease. A lock whose row is locked by a transaction is postponed: an end within the transaction and one right
 * after it look the same. A lock of a session is renewed by heartbeats.
 */
async function expire(run: Run, { store: name, lock, key }: LockExpiry): Promise<LockChange[]> {
  const store = run.lockStores.find((one) => one.name === name);
  const owner = run.locks.ownerOf(key);
  if (store?.heartbeats === true && owner !== undefined && !sendsHeartbeats(run, owner)) {
    await endSession(run, run.actor(owner).process, store);
    return [...run.locks.expire(key), ...(await readNextHolders(run, store))];
  }
  const ended = await store?.end(lock);
  if (ended !== false && store?.component !== undefined && !store.pipelined)
    return [...run.locks.expire(key), ...(await readNextHolders(run, store))];
  if (ended !== false) return run.locks.expire(key);
  run.locks.postpone(key, run.clock.now + run.setup.options.leaseMs);
  return [];
}
