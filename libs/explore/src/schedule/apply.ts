import { stepOf, type ActorChoice, type Choice, type ProcessChoice, type ServerChoice } from './choice';
import * as faults from '../faults';
import type { Run } from '../execution';

/** Executes a choice; resolves at quiescence. False when the choice is not enabled. */
export function apply(run: Run, choice: Choice): Promise<boolean> {
  if ('actor' in choice) return applyToActor(run, choice);
  if ('process' in choice) return applyToProcess(run, choice);
  switch (choice.kind) {
    case 'lapse':
      return lapse(run);
    case 'tick':
      return faults.tick(run);
    case 'flush':
    case 'server-down':
      return applyToServer(run, choice);
  }
}

async function applyToActor(run: Run, choice: ActorChoice): Promise<boolean> {
  const held = stepOf(run, choice);
  if (held === undefined || !run.isEnabled(held)) return false;
  const actor = run.actor(held.task.actor);
  switch (choice.kind) {
    case 'in-flight':
      await faults.killInFlight(run, held);
      return true;
    case 'slow':
      await faults.slow(run, actor);
      return true;
    case 'overrun':
      await faults.overrun(run, actor);
      return true;
    case 'arrival':
      await faults.arrive(run, actor);
      break;
    case 'step':
    case 'timer-step':
      await run.release(held);
      break;
    case 'error':
    case 'lose-reply':
      await run.release(held, choice.kind);
      break;
  }
  await faults.endDeadSessions(run);
  return true;
}

async function applyToProcess(run: Run, { kind, process: number }: ProcessChoice): Promise<boolean> {
  const process = run.processes[number - 1];
  if (process?.alive !== true || process.paused !== (kind === 'resume')) return false;
  switch (kind) {
    case 'kill':
      await faults.kill(run, process);
      break;
    case 'host-down':
      await faults.loseHost(run, process);
      break;
    case 'pause':
      await faults.pauseBeyondLease(run, process);
      break;
    case 'resume':
      await faults.resume(run, process);
      break;
    case 'lost-session':
      await faults.loseSessions(run, process);
      break;
    case 'cut':
      faults.cut(run, process);
      break;
  }
  await faults.endDeadSessions(run); // of a dead process whose statement no longer waits
  return true;
}

async function applyToServer(run: Run, { kind, server: number }: ServerChoice): Promise<boolean> {
  if (number === undefined) {
    await faults.flush(run);
    return true;
  }
  const server = run.ownRedises[number - 1]?.name;
  if (server === undefined || run.unreachableServers.has(server)) return false;
  if (kind === 'flush') await faults.flush(run, server);
  else faults.loseServer(run, server);
  return true;
}

async function lapse(run: Run): Promise<boolean> {
  if (run.locks.expiring().length === 0) return false;
  await faults.lapse(run);
  return true;
}
