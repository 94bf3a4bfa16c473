import type { Actor, ActorProcess } from './actor';
import type { Run } from './run';
import type { Held } from './strand';
import { pass, tellOfSession } from './time';

/** How many leases slow work takes, and how many are more than any watchdog renews. */
const SLOW_LEASES = 2.5;
const OVERRUN_LEASES = 12;

/** Time moves to the end of the lease that ends first. A healthy watchdog prevents that the key ends. */
export async function lapse(run: Run, key?: string): Promise<boolean> {
  const ending = run.locks.ending().find((lock) => key === undefined || lock.key === key);
  if (ending === undefined) {
    run.chronicle.fault('lapse', key ?? 'no lease', 'there is no lease that could end', false);
    return false;
  }
  const owner = run.locks.states().find((lock) => lock.key === ending.key)?.owner;
  const changes = await pass(run, ending.at);
  const ended = changes.some((change) => change.key === ending.key);
  run.chronicle.fault(
    'lapse',
    ending.key,
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
  run.chronicle.fault(fault, actor.name, `${actor.name} takes ${ms} ms over this step`, true, changes);
}

/** The next timer of a running process is due; the steps that it makes are held as all others are. */
export async function tick(run: Run): Promise<boolean> {
  const timer = run.clock.next((name) => {
    const { process } = run.actor(name);
    return process.alive && !process.paused;
  });
  if (timer === undefined) return false;
  const changes = await pass(run, timer.due - 0.001);
  run.chronicle.fault('tick', timer.actor, `a timer of ${timer.actor} is due`, true, changes);
  run.clock.moveTo(timer.due);
  await run.fire(timer, false);
  return true;
}

/** SIGKILL: the code is gone, the database rolls back, Redis keeps its keys. */
export async function kill(run: Run, process: ActorProcess): Promise<void> {
  process.alive = false;
  run.chronicle.fault('kill', process.name, `${process.name} (${names(run, process)}) is killed`);
  for (const actor of members(run, process)) await run.bury(actor);
  await run.settle();
}

/** As kill, but the statement that `held` is about to send was sent already, and is still on its way. */
export async function killInFlight(run: Run, held: Held): Promise<void> {
  const actor = run.actor(held.strand.actor);
  const { process } = actor;
  process.alive = false;
  actor.inFlight = held;
  run.chronicle.fault(
    'in-flight',
    process.name,
    `${process.name} (${names(run, process)}) is killed; ${actor.name}'s ${held.step.verb} is still on its way`,
  );
  for (const member of members(run, process)) await run.bury(member);
  await run.settle();
}

/** The statement of a dead process arrives; after it the server notices that its client is gone. */
export async function arrive(run: Run, actor: Actor): Promise<void> {
  const { inFlight } = actor;
  if (inFlight === undefined) return;
  await run.release(inFlight);
}

/** Statements that outlived their process have run: the server notices that the client is gone. */
export async function noticeDeaths(run: Run): Promise<void> {
  for (const actor of run.actors) {
    const { inFlight } = actor;
    if (inFlight === undefined || actor.blocked || inFlight.strand.held.includes(inFlight)) continue;
    actor.inFlight = undefined;
    await run.bury(actor);
    await run.settle();
  }
}

/** SIGSTOP: neither steps nor timers. */
export function pause(run: Run, process: ActorProcess): void {
  process.paused = true;
  run.chronicle.fault('pause', process.name, `${process.name} (${names(run, process)}) stands still`);
}

/**
 * SIGSTOP until after the lease that ends first, then SIGCONT. That its steps come later still, after steps of
 * others, is a matter of the order of steps: what a pause adds is that time passes and its timers do not run.
 */
export async function pauseBeyondLease(run: Run, process: ActorProcess): Promise<void> {
  pause(run, process);
  const [ending] = run.locks.ending();
  if (ending !== undefined) {
    const changes = await pass(run, ending.at);
    run.chronicle.time(`${process.name} stands still until after the lease of ${ending.key}`, changes);
  }
  await resume(run, process);
}

/** SIGCONT: what is overdue by now is called at once. */
export async function resume(run: Run, process: ActorProcess): Promise<void> {
  process.paused = false;
  run.chronicle.fault('resume', process.name, `${process.name} (${names(run, process)}) goes on`);
  tellOfSession(run, process);
  for (;;) {
    const timer = run.clock.next((name) => run.actor(name).process === process);
    if (timer === undefined || timer.due > run.clock.now) return;
    await run.fire(timer, false);
  }
}

/** The process loses Redis and keeps the database. */
export function cut(run: Run, process: ActorProcess): void {
  process.cut = true;
  run.chronicle.fault('cut', process.name, `${process.name} (${names(run, process)}) is cut off from Redis`);
}

/**
 * The database ends the sessions of the process that hold something: what was not committed is rolled back, named locks
 * are free. The process connects again with its next statement.
 */
export async function loseSessions(run: Run, process: ActorProcess): Promise<void> {
  run.chronicle.fault(
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
  await run.places.find(({ name }) => name === server)?.clear();
  run.ears.missed();
  const text = `${server === '' ? 'Redis' : server} restarts empty`;
  run.chronicle.fault(
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
  run.chronicle.fault('server-down', server, `${server} is lost: nobody can reach it any more`);
}

const members = (run: Run, process: ActorProcess): readonly Actor[] =>
  run.actors.filter((actor) => actor.process === process);

const names = (run: Run, process: ActorProcess): string =>
  members(run, process)
    .map(({ name }) => name)
    .join(', ');
