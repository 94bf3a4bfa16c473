import type { LockChange } from '#lab/verdict';
import type { ActorProcess } from './actor';
import type { Ending } from './lock-book';
import type { LockPlace } from './lock-places';
import type { Run } from './run';
import { isWaiting } from './strand';
import type { Timer } from './virtual-clock';

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
    const ending = locks.ending()[0];
    const timerDue = timer !== undefined && timer.due <= until && timer.due <= (ending?.at ?? Infinity);
    if (timerDue) {
      clock.moveTo(timer.due);
      await run.fire(timer, true);
    } else if (ending !== undefined && ending.at <= until) {
      clock.moveTo(ending.at);
      changes.push(...(await expire(run, ending)));
    } else break;
  }
  clock.moveTo(until);
  return changes;
}

/** The next moment at which anything would happen by itself: a lease ends, a timer is due, somebody gives up. */
export function nextMoment(run: Run): { at: number; why: string } | undefined {
  const timer: Timer | undefined = run.clock.next((actor) => isRunning(run, actor));
  const ending = run.locks.ending().find((lock) => !isHeldByHeartbeat(run, lock));
  const waiters = run.actors
    .filter((actor) => actor.outcome === undefined && isRunning(run, actor.name))
    .flatMap((actor) => actor.held)
    .filter((held) => isWaiting(held.step) && run.dueAt(held) > run.clock.now);
  const moments = [
    ...(timer === undefined ? [] : [{ at: timer.due, why: `a timer of ${timer.actor} is due` }]),
    ...(ending === undefined ? [] : [{ at: ending.at, why: `the lease of ${ending.key} ends` }]),
    ...waiters.map((held) => ({ at: run.dueAt(held), why: `${held.step.actor} has waited long enough` })),
  ];
  return waiters.length === 0 ? undefined : moments.sort((a, b) => a.at - b.at)[0];
}

/** Who comes next has the lock. */
const successors = async (run: Run, place: LockPlace): Promise<LockChange[]> =>
  run.locks.update(place.name, await place.read(), run.clock.now, undefined, [
    String(run.setup.options.leaseMs),
  ]);

/** The server hears of the actor's process. */
const isBeating = (run: Run, name: string): boolean => isRunning(run, name) && !run.actor(name).process.cut;

/** It would be prolonged: nothing happens when its time is over. */
const isHeldByHeartbeat = (run: Run, { place, key }: Ending): boolean => {
  const owner = run.locks.ownerOf(key);
  const beats = run.places.find(({ name }) => name === place)?.heartbeats === true;
  return beats && owner !== undefined && isBeating(run, owner);
};

/** All that the process has at the server goes. It knows at once, by its own clock, if it runs; otherwise when it goes on. */
async function endSession(run: Run, process: ActorProcess, place: LockPlace): Promise<void> {
  for (const { seat } of members(run, process)) await place.endSession?.(seat);
  process.sessionEnded = true;
  if (process.alive && !process.paused) tellOfSession(run, process);
}

/** The process learns that its session has ended; from here on it has another one. */
export function tellOfSession(run: Run, process: ActorProcess): void {
  if (!process.sessionEnded) return;
  process.sessionEnded = false;
  for (const { seat } of members(run, process)) seat.servers.zookeeper.endSession();
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
async function expire(run: Run, { place: name, lock, key }: Ending): Promise<LockChange[]> {
  const place = run.places.find((one) => one.name === name);
  const owner = run.locks.ownerOf(key);
  if (place?.heartbeats === true && owner !== undefined && !isBeating(run, owner)) {
    await endSession(run, run.actor(owner).process, place);
    return [...run.locks.expire(key), ...(await successors(run, place))];
  }
  const ended = await place?.end(lock);
  if (ended !== false && place?.component !== undefined && !place.pipelined)
    return [...run.locks.expire(key), ...(await successors(run, place))];
  if (ended !== false) return run.locks.expire(key);
  run.locks.postpone(key, run.clock.now + run.setup.options.leaseMs);
  return [];
}
