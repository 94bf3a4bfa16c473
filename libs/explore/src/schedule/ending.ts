import type { ScheduleHistory } from '#lab/verdict';
import { kill, noticeDeaths, resume } from '../faults';
import { type Run, nextDueTime, advanceTo } from '../execution';

/** The steps that could go on now. */
export const enabledHeldSteps = (run: Run): ReturnType<Run['actor']>['held'] =>
  run.actors.flatMap((actor) => actor.held.filter((held) => run.isEnabled(held)));

/**
 * Called when nobody can move: lets time advanceTo to the next moment at which something happens. False when nothing will
 * ever happen.
 */
export async function advanceTime(run: Run): Promise<boolean> {
  const moment = nextDueTime(run);
  if (moment !== undefined) {
    const changes = await advanceTo(run, moment.at);
    run.eventLog.time(`nobody can move; time goes on until ${moment.why}`, changes);
    return true;
  }
  if (!run.actors.some((actor) => actor.blocked)) return false;
  run.eventLog.time('nobody can move; a lock wait in the database runs into its time-out');
  const hasEnded = await run.endLockWait();
  await noticeDeaths(run);
  return hasEnded;
}

/** Lets everybody run to the end, one after the other, and says what happened. */
export async function finishAll(run: Run): Promise<ScheduleHistory> {
  for (;;) {
    const [held] = enabledHeldSteps(run);
    if (held !== undefined) {
      await run.release(held);
      await noticeDeaths(run);
    } else if (!(await resumeOne(run)) && !(await advanceTime(run))) break;
  }
  return close(run);
}

/** Reads the final state, and sends home who still stands somewhere: nobody may haunt the next schedule. */
export async function close(run: Run): Promise<ScheduleHistory> {
  await awaitSurvivingTimers(run);
  const unfinished = run.processes.filter((process) =>
    run.actors.some((actor) => actor.process === process && !hasFinished(actor)),
  );
  const history = await run.history(unfinished.length === 0);
  for (const actor of run.actors) actor.orphanedStep = undefined; // nobody waits for what is still on its way
  for (const process of unfinished) await kill(run, process);
  for (const { realm } of run.processes) realm?.timers.stop();
  return history;
}

/** So many leases advanceTo when every request has ended: a lock that is still renewed then is renewed for ever. */
const LEASES_AFTER_THE_END = 2;

/** A timer that outlives its request may keep a lock alive: only time shows it. */
async function awaitSurvivingTimers(run: Run): Promise<void> {
  const outlives = run.clock.next((name) => {
    const { outcome, process } = run.actor(name);
    return outcome !== undefined && process.alive && !process.paused;
  });
  if (outlives === undefined || run.locks.expiring().length === 0) return;
  const leases = LEASES_AFTER_THE_END * run.setup.options.leaseMs;
  const changes = await advanceTo(run, run.clock.now + leases);
  run.eventLog.time(`a timer of ${outlives.actor} still runs; ${leases} ms pass`, changes);
}

const hasFinished = (actor: Run['actors'][number]): boolean =>
  actor.tasks.every((task) => task.done) && actor.openSessions().size === 0;

async function resumeOne(run: Run): Promise<boolean> {
  const paused = run.processes.find((process) => process.paused && process.alive);
  if (paused === undefined) return false;
  await resume(run, paused);
  return true;
}
