import type { Actor, ActorProcess, HeldStep } from '../actors';
import { type Run, advanceTo, notifySessionEnd } from '../execution';

/** Duration of slow work, and a duration beyond any watchdog's renewals, in leases. */
const SLOW_LEASES = 2.5;
const OVERRUN_LEASES = 12;

/** Advances time to the end of the lease that ends first. A healthy watchdog renews the lease before that. */
export async function lapse(run: Run, key?: string): Promise<boolean> {
  const expiring = run.locks.expiring().find((lock) => key === undefined || lock.key === key);
  if (expiring === undefined) {
    run.eventLog.fault('lapse', key ?? 'no lease', 'no lease can end', false);
    return false;
  }
  const owner = run.locks.states().find((lock) => lock.key === expiring.key)?.owner ?? 'an unknown holder';
  const isWindow = run.lockStores.find(({ name }) => name === expiring.store)?.noun === 'window';
  const what = isWindow ? `the window of ${expiring.key}` : `${owner}'s lease`;
  const changes = await advanceTo(run, expiring.at);
  const ended = changes.some((change) => change.key === expiring.key);
  run.eventLog.fault(
    'lapse',
    expiring.key,
    ended ? `${what} ends` : `${what} is renewed before it ends`,
    ended,
    changes,
  );
  return ended;
}

/** An actor's work takes longer than its lease; its timers keep running. */
export const slow = (run: Run, actor: Actor): Promise<void> => prolong(run, actor, 'slow', SLOW_LEASES);

/** A step takes longer than any watchdog renews. Possible at any step, not only at work. */
export const overrun = (run: Run, actor: Actor): Promise<void> =>
  prolong(run, actor, 'overrun', OVERRUN_LEASES);

async function prolong(run: Run, actor: Actor, fault: 'slow' | 'overrun', leases: number): Promise<void> {
  const ms = leases * run.setup.options.leaseMs;
  const changes = await advanceTo(run, run.clock.now + ms);
  run.eventLog.fault(fault, actor.name, `this step of ${actor.name} takes ${ms} ms`, true, changes);
}

/** The timer that a tick fires. In foreign code: the next try of a request that waits; its renewals are always on time. */
export const nextTick = (run: Run): ReturnType<Run['clock']['next']> => {
  const isForeign = run.subject.isForeign === true;
  const isRunning = (name: string): boolean => {
    const { process, requestWithoutStep } = run.actor(name);
    return process.alive && !process.paused && (!isForeign || requestWithoutStep !== undefined);
  };
  return run.clock.next(isRunning);
};

/** Advances time to the next timer of a running process; its steps are held like all others. */
export async function tick(run: Run): Promise<boolean> {
  const timer = nextTick(run);
  if (timer === undefined) return false;
  timer.due = timer.dueNow?.({ hurry: true }) ?? timer.due;
  const changes = await advanceTo(run, timer.due - 0.001);
  run.eventLog.fault('tick', timer.actor, `a timer of ${timer.actor} is due`, true, changes);
  run.clock.moveTo(timer.due);
  await run.fire(timer, false);
  return true;
}

/** SIGKILL: the process stops, the database rolls back, Redis keeps its keys. */
export async function kill(run: Run, process: ActorProcess): Promise<void> {
  process.alive = false;
  run.eventLog.fault('kill', process.name, `${process.name} (${names(run, process)}) is killed`);
  await run.oneByOne(process, (actor) => run.terminate(actor));
}

/**
 * The host of the process loses its power or its network: the code stops, and no connection is closed. The servers keep the sessions
 * for longer than any schedule takes: the database until TCP keep-alive or `wait_timeout` ends them, after hours by default.
 */
export async function loseHost(run: Run, process: ActorProcess): Promise<void> {
  process.alive = false;
  run.eventLog.fault(
    'host-down',
    process.name,
    `the host of ${process.name} (${names(run, process)}) is down`,
  );
  for (const actor of run.actorsOf(process)) run.terminateWithoutClosing(actor);
  await run.settle();
}

/** As kill, but the statement of `held` was already sent and arrives later. */
export async function killInFlight(run: Run, held: HeldStep): Promise<void> {
  const actor = run.actor(held.task.actor);
  const { process } = actor;
  process.alive = false;
  actor.orphanedStep = held;
  run.eventLog.fault(
    'in-flight',
    process.name,
    `${process.name} (${names(run, process)}) is killed; ${actor.name}'s ${held.step.verb} is still in flight`,
  );
  await run.oneByOne(process, (member) => run.terminate(member));
}

/** The in-flight statement of a dead process arrives; afterwards the server closes its session. */
export async function arrive(run: Run, actor: Actor): Promise<void> {
  const { orphanedStep } = actor;
  if (orphanedStep === undefined) return;
  await run.release(orphanedStep);
}

/** Ends the sessions of dead processes whose in-flight statements have been executed. */
export async function endDeadSessions(run: Run): Promise<void> {
  for (const actor of run.actors) {
    const { orphanedStep } = actor;
    if (orphanedStep === undefined || actor.blocked || orphanedStep.task.held.includes(orphanedStep))
      continue;
    actor.orphanedStep = undefined;
    await run.terminate(actor);
    await run.settle();
  }
}

/** SIGSTOP: no steps, no timers. */
export function pause(run: Run, process: ActorProcess): void {
  process.paused = true;
  run.eventLog.fault('pause', process.name, `${process.name} (${names(run, process)}) is paused`);
}

/**
 * SIGSTOP until after the lease that ends first, then SIGCONT. Later steps are a matter of the interleaving: what a
 * pause adds is that time advances without the timers of the process.
 */
export async function pauseBeyondLease(run: Run, process: ActorProcess): Promise<void> {
  pause(run, process);
  const [expiring] = run.locks.expiring();
  if (expiring !== undefined) {
    const changes = await advanceTo(run, expiring.at);
    run.eventLog.time(`${process.name} is paused until after the lease of ${expiring.key}`, changes);
  }
  await resume(run, process);
}

/** SIGCONT: overdue timers fire immediately. */
export async function resume(run: Run, process: ActorProcess): Promise<void> {
  process.paused = false;
  run.eventLog.fault('resume', process.name, `${process.name} (${names(run, process)}) resumes`);
  notifySessionEnd(run, process);
  for (;;) {
    const timer = run.clock.next((name) => run.actor(name).process === process);
    if (timer === undefined || timer.due > run.clock.now) return;
    await run.fire(timer, false);
  }
}

/** Cuts the process off from Redis; the database stays reachable. */
export function cut(run: Run, process: ActorProcess): void {
  process.cut = true;
  run.eventLog.fault(
    'cut',
    process.name,
    `${process.name} (${names(run, process)}) is cut off from the lock servers`,
  );
}

/**
 * The database ends the sessions of the process that hold a transaction or a lock, rolls back and releases named
 * locks. The process reconnects with its next statement.
 */
export async function loseSessions(run: Run, process: ActorProcess): Promise<void> {
  run.eventLog.fault(
    'lost-session',
    process.name,
    `the database ends the sessions of ${process.name} (${names(run, process)})`,
  );
  await run.oneByOne(process, (actor) => run.loseSessions(actor));
}

/** Restarts a Redis empty: the lab's own, or another one by its name. */
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

/** Makes a server unreachable for all processes. It keeps its data. */
export function loseServer(run: Run, server: string): void {
  run.unreachableServers.add(server);
  run.eventLog.fault('server-down', server, `${server} is down: no process can reach it`);
}

const names = (run: Run, process: ActorProcess): string =>
  run
    .actorsOf(process)
    .map(({ name }) => name)
    .join(', ');
