import type { FaultName } from '#lab/verdict';
import type { Actor, ActorProcess, HeldStep } from '../actors';
import type { Budget } from '../faults';
import type { Run } from '../execution';

/**
 * One decision of a schedule, encoded in one or two characters so that a schedule is a short text:
 *
 *     a b c     the next step of A, B, C          Ta  the next step of a timer of A
 *     Ea        A's step fails unsent             Qa  A's step is executed, its reply is lost
 *     L         a lease ends                      W   the next timer is due
 *     Sa        A's work is slow                  Oa  A's step takes longer than any watchdog renews
 *     K1        process 1 is killed               Ia  A's process is killed, its statement is in flight
 *     P1        process 1 is paused               Ja  the in-flight statement of A arrives
 *     R1        process 1 resumes                 C1  process 1 is cut off from Redis
 *     X1        the database ends the sessions of process 1, which then reconnects
 *     F         Redis restarts empty              F1  the strategy's first own Redis restarts empty
 *     D1        the strategy's first own Redis (a voter, the primary) becomes unreachable
 */
export type Choice = string;

/** Restrictions on the points at which faults are injected; absent: none. */
export interface FaultPlaces {
  /** `release`: a lease ends only when its holder is about to release the lock. */
  readonly lapse?: 'release';
  /** `release`: only a command that releases the lock fails; `write`: only one that writes the stock. */
  readonly error?: 'release' | 'write';
  /** `no-expiry`: a process dies only while it holds a lock without an expiry. */
  readonly kill?: 'no-expiry';
}

const lower = (actor: Actor): string => actor.name.toLowerCase();

/** The enabled steps: of requests, then of timers. */
export function enabledSteps(run: Run): Choice[] {
  return run.actors.flatMap((actor) => {
    if (actor.orphanedStep !== undefined)
      return actor.orphanedStep.task.held.includes(actor.orphanedStep) ? [`J${lower(actor)}`] : [];
    const main = mainStep(run, actor);
    const timer = timerStep(run, actor);
    return [
      ...(main !== undefined && run.isEnabled(main) ? [lower(actor)] : []),
      ...(timer !== undefined && run.isEnabled(timer) ? [`T${lower(actor)}`] : []),
    ];
  });
}

/** The faults that are possible now within the remaining budget. */
export function enabledFaults(run: Run, remaining: Budget, faultPlaces: FaultPlaces): Choice[] {
  const has = (fault: FaultName): boolean => (remaining[fault] ?? 0) > 0;
  const choices: Choice[] = [];
  for (const actor of run.actors.filter(isRunning))
    choices.push(...actorFaults(run, actor, has, faultPlaces));
  run.processes.forEach((process, i) => {
    choices.push(...processFaults(run, process, i + 1, has, faultPlaces));
  });
  if (has('lapse') && canLapse(run, faultPlaces)) choices.push('L');
  if (has('tick') && run.clock.next((name) => isRunning(run.actor(name))) !== undefined) choices.push('W');
  if (has('flush') && holdsData(run, '')) choices.push('F');
  run.ownRedises.forEach(({ name }, i) => {
    if (run.unreachableServers.has(name)) return;
    if (has('flush') && holdsData(run, name)) choices.push(`F${i + 1}`);
    if (has('server-down')) choices.push(`D${i + 1}`);
  });
  return choices;
}

/** True when this Redis holds a lock or other data of the strategy. */
const holdsData = (run: Run, server: string): boolean =>
  run.locks.hasAnyIn(server) || (run.setup.strategy.keys !== undefined && run.written.has(server));

const isRunning = (actor: Actor): boolean =>
  actor.outcome === undefined && actor.process.alive && !actor.process.paused;

function actorFaults(
  run: Run,
  actor: Actor,
  has: (fault: FaultName) => boolean,
  faultPlaces: FaultPlaces,
): Choice[] {
  const held = mainStep(run, actor);
  if (held === undefined || !run.isEnabled(held)) return [];
  const { step } = held;
  const isCall = step.kind !== 'timer' && step.kind !== 'local';
  const begun = actor.tasks[0]?.begun === true;
  return [
    ...(has('error') && isCall && canFail(run, actor, held, faultPlaces) ? [`E${lower(actor)}`] : []),
    ...(has('lose-reply') && isCall ? [`Q${lower(actor)}`] : []),
    ...(has('in-flight') && isCall && begun ? [`I${lower(actor)}`] : []),
    ...(has('slow') && step.verb === 'WORK' ? [`S${lower(actor)}`] : []),
    ...(has('overrun') && isCall && run.clock.hasTimers ? [`O${lower(actor)}`] : []),
  ];
}

function processFaults(
  run: Run,
  process: ActorProcess,
  number: number,
  has: (fault: FaultName) => boolean,
  faultPlaces: FaultPlaces,
): Choice[] {
  if (!process.alive) return [];
  if (process.paused) return [`R${number}`];
  const members = run.actors.filter((actor) => actor.process === process && actor.outcome === undefined);
  const cut = has('cut') && !process.cut && members.length > 0 ? [`C${number}`] : []; // possible before its first step
  if (!members.some((actor) => actor.tasks[0]?.begun === true)) return cut;
  const killable =
    faultPlaces.kill === undefined ||
    run.locks
      .states()
      .some((lock) => lock.expiresAt === undefined && members.some(({ name }) => name === lock.owner));
  return [
    ...(has('kill') && killable ? [`K${number}`] : []),
    ...(has('pause') ? [`P${number}`] : []),
    ...cut,
    ...(has('lost-session') && members.some((actor) => actor.openSessions().size > 0) ? [`X${number}`] : []),
  ];
}

function canLapse(run: Run, faultPlaces: FaultPlaces): boolean {
  const [expiring] = run.locks.expiring();
  if (expiring === undefined) return false;
  if (faultPlaces.lapse === undefined) return true;
  const states = run.locks.states();
  const owner = states.find(({ key }) => key === expiring.key)?.owner;
  // the parts of a lock end together; parts of another holder, which may still be working, must not end with them
  if (run.parts > 1 && states.some((lock) => lock.expiresAt === expiring.at && lock.owner !== owner))
    return false;
  const actor = run.actors.find(({ name }) => name === owner);
  const held = actor === undefined ? undefined : mainStep(run, actor);
  return actor !== undefined && held !== undefined && releases(run, actor, held);
}

const canFail = (run: Run, actor: Actor, held: HeldStep, { error }: FaultPlaces): boolean =>
  error === undefined ||
  (error === 'release'
    ? releases(run, actor, held)
    : /^UPDATE balance(_segment)? SET amount/.test(held.step.text));

/** The step concerns the lock that its actor holds: it checks the lock before a release, or releases it. */
const releases = (run: Run, actor: Actor, { step }: HeldStep): boolean =>
  (step.key !== undefined && run.locks.isHeldBy(actor.name, step.server ?? '', step.key)) ||
  run.lockStores.some(
    (store) => !store.pipelined && store.touchedBy(step) && run.locks.isHeldIn(store.name, actor.name),
  );

/** The held step of the request. */
export const mainStep = (_run: Run, actor: Actor): HeldStep | undefined => actor.tasks[0]?.held[0];

/** The first held step of a timer. */
export const timerStep = (_run: Run, actor: Actor): HeldStep | undefined =>
  actor.tasks.slice(1).find(({ held }) => held.length > 0)?.held[0];

/** The step that a choice concerns, if any. */
export function stepOf(run: Run, choice: Choice): HeldStep | undefined {
  const letter = choice.at(-1) ?? '';
  const actor = run.actors.find((candidate) => lower(candidate) === letter);
  if (actor === undefined) return undefined;
  if (choice.startsWith('J')) return actor.orphanedStep;
  return choice.startsWith('T') ? timerStep(run, actor) : mainStep(run, actor);
}

const FAULT_OF_LETTER: Readonly<Record<string, FaultName>> = {
  L: 'lapse',
  K: 'kill',
  P: 'pause',
  W: 'tick',
  S: 'slow',
  O: 'overrun',
  C: 'cut',
  I: 'in-flight',
  Q: 'lose-reply',
  E: 'error',
  F: 'flush',
  D: 'server-down',
  X: 'lost-session',
};

/** The fault that a choice injects; undefined for a step of an actor, an arrival and a resume. */
export const faultOf = (choice: Choice): FaultName | undefined => FAULT_OF_LETTER[choice.charAt(0)];

/** The remaining budget after a choice. */
export function remainingAfter(budget: Budget, choice: Choice): Budget {
  const fault = faultOf(choice);
  return fault === undefined ? budget : { ...budget, [fault]: (budget[fault] ?? 0) - 1 };
}
