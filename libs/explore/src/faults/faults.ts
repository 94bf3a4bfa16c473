import type { Actor, ActorProcess, HeldStep } from '../actors';
import { type Run, pass, notifySessionEnd } from '../execution';

/** How many leases slow work takes, and how many are more than any watchdog renews. */
const SLOW_LEASES = 2.5;
const OVERRUN_LEASES = 12;

/** Time moves to the end of the lease that ends first. A healthy watchdog prevents that the key ends. */
export async function lapse(run: Run, key?: string): Promise<boolean> {
  const expiring = run.locks.expiring().find((lock) => key === undefined || lock.key === key);
  if (expiring === undefined) {
    run.eventLog.fault('lapse', key ?? 'no lease', 'there is no lease that could end', false);
    return false;
  }
  const owner = run.locks.states().find((lock) => lock.key === expiring.key)?.owner;
  const changes = await pass(run, expiring.at);
  const ended = changes.some((change) => change.key === expiring.key);
  run.eventLog.fault(
    'lapse',
    expiring.key,
    ended
      ? `${owner ?? 'somebody'}'s lease ends`
      : `${owner ?? 'somebody'}'s lease would end, but it was renewed`,
    ended,
    changes,
  );
  return ended;
}

/** An actor's work takes longer than its lease; its process is well, so that its timers run. */
export const slow = (run: Run, actor: Actor): Promise<void> => last(run, actor, 'slow', SLOW_LEASES);

/** As slow work, and beyond everything that a watchdog is willing to renew; at any step, not only at work. */
export const overrun = (run: Run, actor: Actor): Promise<void> => last(run, actor, 'overrun', OVERRUN_LEASES);

async function last(run: Run, actor: Actor, fault: 'slow' | 'overrun', leases: number): Promise<void> {
  const ms = leases * run.setup.options.leaseMs;
  const changes = await pass(run, run.clock.now + ms);
  run.eventLog.fault(fault, actor.name, `${actor.name} takes ${ms} ms over this step`, true, changes);
}

/** The next timer of a running process is due; the steps that it makes are held as all others are. */
export async function tick(run: Run): Promise<boolean> {
  const timer = run.clock.next((name) => {
    const { process } = run.actor(name);
    return process.alive && !process.paused;
  });
  if (timer === undefined) return false;
  const changes = await pass(run, timer.due - 0.001);
  run.eventLog.fault('tick', timer.actor, `a timer of ${timer.actor} is due`, true, changes);
  run.clock.moveTo(timer.due);
  await run.fire(timer, false);
  return true;
}

/** SIGKILL: the code is gone, the database rolls back, Redis keeps its keys. */
export async function kill(run: Run, process: ActorProcess): Promise<void> {
  process.alive = false;
  run.eventLog.fault('kill', process.name, `${process.name} (${names(run, process)}) is killed`);
  for (const actor of members(run, process)) await run.terminate(actor);
  await run.settle();
}

/** As kill, but the statement that `held` is about to send was sent already, and is still on its way. */
export async function killInFlight(run: Run, held: HeldStep): Promise<void> {
  const actor = run.actor(held.task.actor);
  const { process } = actor;
  process.alive = false;
  actor.orphanedStep = held;
  run.eventLog.fault(
    'in-flight',
    process.name,
    `${process.name} (${names(run, process)}) is killed; ${actor.name}'s ${held.step.verb} is still on its way`,
  );
  for (const member of members(run, process)) await run.terminate(member);
  await run.settle();
}

/** The statement of a dead process arrives; after it the server notices that its client is gone. */
export async function arrive(run: Run, actor: Actor): Promise<void> {
  const { orphanedStep } = actor;
  if (orphanedStep === undefined) return;
  await run.release(orphanedStep);
}

/** Statements that outlived their process have run: the server notices that the client is gone. */
export async function noticeDeaths(run: Run): Promise<void> {
  for (const actor of run.actors) {
    const { orphanedStep } = actor;
    if (orphanedStep === undefined || actor.blocked || orphanedStep.task.held.includes(orphanedStep))
      continue;
    actor.orphanedStep = undefined;
    await run.terminate(actor);
    await run.settle();
  }
}

/** SIGSTOP: neither steps nor timers. */
export function pause(run: Run, process: ActorProcess): void {
  process.paused = true;
  run.eventLog.fault('pause', process.name, `${process.name} (${names(run, process)}) stands still`);
}

/**
 * SIGSTOP until after the lease that ends first, then SIGCONT. That its steps come later still, after steps of
 * others, is a matter of the order of steps: what a pause adds is that time passes and its timers do not run.
 */
export async function pauseBeyondLease(run: Run, process: ActorProcess): Promise<void> {
  pause(run, process);
  const [expiring] = run.locks.expiring();
  if (expiring !== undefined) {
    const changes = await pass(run, expiring.at);
    run.eventLog.time(`${process.name} stands still until after the lease of ${expiring.key}`, changes);
  }
  await resume(run, process);
}

/** SIGCONT: what is overdue by now is called at once. */
export async function resume(run: Run, process: ActorProcess): Promise<void> {
  process.paused = false;
  run.eventLog.fault('resume', process.name, `${process.name} (${names(run, process)}) goes on`);
  notifySessionEnd(run, process);
  for (;;) {
    const timer = run.clock.next((name) => run.actor(name).process === process);
    if (timer === undefined || timer.due > run.clock.now) return;
    await run.fire(timer, false);
  }
}

/** The process loses Redis and keeps the database. */
export function cut(run: Run, process: ActorProcess): void {
  process.cut = true;
  run.eventLog.fault('cut', process.name, `${process.name} (${names(run, process)}) is cut off from Redis`);
}

/**
 * The database ends the sessions of the process that hold something: what was not committed is rolled back, named locks
 * are free. The process connects again with its next statement.
 */
export async function loseSessions(run: Run, process: ActorProcess): Promise<void> {
  run.eventLog.fault(
    'lost-session',
    process.name,
    `the database ends the sessions of ${process.name} (${names(run, process)})`,
  );
  for (const actor of members(run, process)) await run.loseSessions(actor);
  await run.settle();
}

/** A Redis restarts empty: the lab's own, or another one by its name. */
export async function flush(run: Run, server = ''): Promise<void> {
  const wasWritten = run.written.delete(server);
  const changes = run.locks.flush(server);
  await run.lockStores.find(({ name }) => name === server)?.clear();
  run.inbox.onReconnect();
  const text = `${server === '' ? 'Redis' : server} restarts empty`;
  run.eventLog.fault(
    'flush',
    server === '' ? 'redis' : server,
    text,
    wasWritten || changes.length > 0,
    changes,
  );
}

/** Nobody reaches this server any more. What it holds stays there. */
export function loseServer(run: Run, server: string): void {
  run.lost.add(server);
  run.eventLog.fault('server-down', server, `${server} is lost: nobody can reach it any more`);
}

const members = (run: Run, process: ActorProcess): readonly Actor[] =>
  run.actors.filter((actor) => actor.process === process);

const names = (run: Run, process: ActorProcess): string =>
  members(run, process)
    .map(({ name }) => name)
    .join(', ');
