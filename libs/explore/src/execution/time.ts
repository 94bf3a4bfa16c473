import type { LockChange } from '#lab/verdict';
import { type ActorProcess, isWaiting, type Timer } from '../actors';
import type { LockExpiry } from './lock-tracker';
import type { LockStore } from '../world';
import type { Run } from './run';

/**
 * Moves time to `until`. Timers of processes that run are called in their order, each to its end, and a key ends when
 * its lease does: a timer that is due at the same moment comes first, because holders count their lease from before
 * they asked.
 */
export async function pass(run: Run, until: number): Promise<LockChange[]> {
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

/** The next moment at which anything would happen by itself: a lease ends, a timer is due, somebody gives up. */
export function nextMoment(run: Run): { at: number; why: string } | undefined {
  const timer: Timer | undefined = run.clock.next((actor) => isRunning(run, actor));
  const expiring = run.locks.expiring().find((lock) => !isHeldByHeartbeat(run, lock));
  const waiters = run.actors
    .filter((actor) => actor.outcome === undefined && isRunning(run, actor.name))
    .flatMap((actor) => actor.held)
    .filter((held) => isWaiting(held.step) && run.dueAt(held) > run.clock.now);
  const moments = [
    ...(timer === undefined ? [] : [{ at: timer.due, why: `a timer of ${timer.actor} is due` }]),
    ...(expiring === undefined ? [] : [{ at: expiring.at, why: `the lease of ${expiring.key} ends` }]),
    ...waiters.map((held) => ({ at: run.dueAt(held), why: `${held.step.actor} has waited long enough` })),
  ];
  return waiters.length === 0 ? undefined : moments.sort((a, b) => a.at - b.at)[0];
}

/** Who comes next has the lock. */
const successors = async (run: Run, store: LockStore): Promise<LockChange[]> =>
  run.locks.update(store.name, await store.read(), run.clock.now, undefined, [
    String(run.setup.options.leaseMs),
  ]);

/** The server hears of the actor's process. */
const isBeating = (run: Run, name: string): boolean => isRunning(run, name) && !run.actor(name).process.cut;

/** It would be prolonged: nothing happens when its time is over. */
const isHeldByHeartbeat = (run: Run, { store, key }: LockExpiry): boolean => {
  const owner = run.locks.ownerOf(key);
  const beats = run.lockStores.find(({ name }) => name === store)?.heartbeats === true;
  return beats && owner !== undefined && isBeating(run, owner);
};

/** All that the process has at the server goes. It knows at once, by its own clock, if it runs; otherwise when it goes on. */
async function endSession(run: Run, process: ActorProcess, store: LockStore): Promise<void> {
  for (const { connections } of members(run, process)) await store.endSession?.(connections);
  process.sessionEnded = true;
  if (process.alive && !process.paused) notifySessionEnd(run, process);
}

/** The process learns that its session has ended; from here on it has another one. */
export function notifySessionEnd(run: Run, process: ActorProcess): void {
  if (!process.sessionEnded) return;
  process.sessionEnded = false;
  for (const { connections } of members(run, process)) connections.servers.zookeeper.endSession();
}

const members = (run: Run, process: ActorProcess): Run['actors'] =>
  run.actors.filter((actor) => actor.process === process);

const isRunning = (run: Run, name: string): boolean => {
  const { process } = run.actor(name);
  return process.alive && !process.paused;
};

/**
 * A lock that a transaction has is postponed: when it ends within the transaction or right after looks the same. A lock
 * that lives with a session is prolonged by the session's heartbeats.
 */
async function expire(run: Run, { store: name, lock, key }: LockExpiry): Promise<LockChange[]> {
  const store = run.lockStores.find((one) => one.name === name);
  const owner = run.locks.ownerOf(key);
  if (store?.heartbeats === true && owner !== undefined && !isBeating(run, owner)) {
    await endSession(run, run.actor(owner).process, store);
    return [...run.locks.expire(key), ...(await successors(run, store))];
  }
  const ended = await store?.end(lock);
  if (ended !== false && store?.component !== undefined && !store.pipelined)
    return [...run.locks.expire(key), ...(await successors(run, store))];
  if (ended !== false) return run.locks.expire(key);
  run.locks.postpone(key, run.clock.now + run.setup.options.leaseMs);
  return [];
}
