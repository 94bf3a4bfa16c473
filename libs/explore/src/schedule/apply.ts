import { stepOf, type Choice } from './choice';
import * as faults from '../faults';
import type { Run } from '../execution';

/** Executes a choice; resolves at quiescence. False when the choice is not enabled. */
export async function apply(run: Run, choice: Choice): Promise<boolean> {
  const kind = choice.charAt(0);
  const process = run.processes[Number(choice.charAt(1)) - 1];
  const held = stepOf(run, choice);
  const actor = held === undefined ? undefined : run.actor(held.task.actor);
  if (/^[a-cTEQJ]/.test(kind)) {
    if (held === undefined || actor === undefined || !run.isEnabled(held)) return false;
    if (kind === 'J') await faults.arrive(run, actor);
    else await run.release(held, kind === 'E' ? 'error' : kind === 'Q' ? 'lose-reply' : 'issue');
    await faults.endDeadSessions(run);
    return true;
  }
  if (/^[KPRCX]/.test(kind)) {
    if (process?.alive !== true || process.paused !== (kind === 'R')) return false;
    if (kind === 'K') await faults.kill(run, process);
    else if (kind === 'P') await faults.pauseBeyondLease(run, process);
    else if (kind === 'R') await faults.resume(run, process);
    else if (kind === 'X') await faults.loseSessions(run, process);
    else faults.cut(run, process);
    return true;
  }
  if (kind === 'L') return run.locks.expiring().length > 0 && (await faults.lapse(run), true);
  if (choice === 'F') return faults.flush(run).then(() => true);
  if (kind === 'F' || kind === 'D') {
    const server = run.ownRedises[Number(choice.charAt(1)) - 1]?.name;
    if (server === undefined || run.unreachableServers.has(server)) return false;
    if (kind === 'F') await faults.flush(run, server);
    else faults.loseServer(run, server);
    return true;
  }
  if (kind === 'W') return faults.tick(run);
  if (held === undefined || actor === undefined || !run.isEnabled(held)) return false;
  if (kind === 'I') await faults.killInFlight(run, held);
  else if (kind === 'S') await faults.slow(run, actor);
  else if (kind === 'O') await faults.overrun(run, actor);
  else return false;
  return true;
}
