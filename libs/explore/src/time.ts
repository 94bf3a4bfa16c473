import type { LockChange } from '#lab/verdict';
import type { Ending } from './lock-book';
import type { Run } from './run';
import { isWaiting } from './strand';
import type { Timer } from './virtual-clock';

/**
 * A key's real time to live is never set below this, milliseconds: otherwise it could end in the middle of a
 * schedule by itself.
 */
const LEAST_TTL_MS = 1000;

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
      await shortenLeases(run); // before the timer: else a renewal within one real millisecond would look like none
      await run.fire(timer, true);
    } else if (ending !== undefined && ending.at <= until) {
      clock.moveTo(ending.at);
      changes.push(...(await expire(run, ending)));
    } else break;
  }
  clock.moveTo(until);
  await shortenLeases(run);
  return changes;
}

/** The next moment at which anything would happen by itself: a lease ends, a timer is due, somebody gives up. */
export function nextMoment(run: Run): { at: number; why: string } | undefined {
  const timer: Timer | undefined = run.clock.next((actor) => isRunning(run, actor));
  const [ending] = run.locks.ending();
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

const isRunning = (run: Run, name: string): boolean => {
  const { process } = run.actor(name);
  return process.alive && !process.paused;
};

/** A lock that a transaction has is postponed: when it ends within the transaction or right after looks the same. */
async function expire(run: Run, { place, lock, key }: Ending): Promise<LockChange[]> {
  const ended = await run.places.find(({ name }) => name === place)?.end(lock);
  if (ended !== false) return run.locks.expire(key);
  run.locks.postpone(key, run.clock.now + run.setup.options.leaseMs);
  return [];
}

async function shortenLeases(run: Run): Promise<void> {
  const ending = run.locks.ending();
  for (const place of run.places) {
    const here = ending.filter((lock) => lock.place === place.name);
    if (here.length === 0) continue;
    for (const { lock, at } of here)
      await place.setTimeToLive(lock, Math.max(Math.ceil(at - run.clock.now), LEAST_TTL_MS));
    run.locks.noteRealExpiry(place.name, await place.read());
  }
}
