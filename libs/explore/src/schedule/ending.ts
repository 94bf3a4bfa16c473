import type { ScheduleHistory } from '#lab/verdict';
import { kill, endDeadSessions } from '../faults';
import { type Run, nextDueTime, advanceTo } from '../execution';

/**
 * Called when no step is enabled: advances time to the next event, or times out a lock wait. False when nothing can
 * happen any more.
 */
export async function advanceTime(run: Run): Promise<boolean> {
  const next = nextDueTime(run);
  if (next !== undefined) {
    const text = `no request can continue; time advances until ${next.why}`;
    if (next.endsWait === true) {
      const event = run.eventLog.time(text); // before the answer
      const changes = await advanceTo(run, next.at);
      if (changes.length > 0) event.locks = changes;
    } else run.eventLog.time(text, await advanceTo(run, next.at));
    return true;
  }
  if (!run.hasRowWait) return false;
  run.eventLog.time('no request can continue; a lock wait in the database ends with its time-out');
  await run.endLockWait();
  await endDeadSessions(run);
  return true;
}

/** Reads the final state and terminates actors that have not finished, so that they cannot affect the next schedule. */
export async function close(run: Run): Promise<ScheduleHistory> {
  await advancePastLastRequest(run);
  const unfinished = run.processes.filter((process) =>
    run.actors.some((actor) => actor.process === process && !hasFinished(actor)),
  );
  const history = await run.history(unfinished.length === 0);
  run.eventLog.seal();
  for (const actor of run.actors) {
    actor.orphanedStep = undefined; // in-flight statements are no longer awaited
    actor.connections.host.comeUp();
  }
  for (const process of unfinished) await kill(run, process);
  for (const { realm } of run.processes) realm?.timers.stop();
  return history;
}

/** Leases that pass after the last request: a lock that is still renewed afterwards is renewed forever. */
const LEASES_AFTER_LAST_REQUEST = 2;

/** A timer that surviving its request may keep a lock alive: visible only when time advances. */
async function advancePastLastRequest(run: Run): Promise<void> {
  const surviving = run.clock.next((name) => {
    const { outcome, process } = run.actor(name);
    return outcome !== undefined && process.alive && !process.paused;
  });
  if (surviving === undefined || run.locks.expiring().length === 0) return;
  const leases = LEASES_AFTER_LAST_REQUEST * run.setup.options.leaseMs;
  const changes = await advanceTo(run, run.clock.now + leases);
  run.eventLog.time(`a timer of ${surviving.actor} still runs; ${leases} ms pass`, changes);
}

const hasFinished = (actor: Run['actors'][number]): boolean =>
  actor.tasks.every((task) => task.done) && actor.openSessions().size === 0;
