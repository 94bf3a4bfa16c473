import { locksInDatabase, type Step } from '#lab/step';
import { FAULTS, type FaultName } from '#lab/strategy';
import { usesStock } from '#lab/verdict';
import type { Actor, ActorProcess, HeldStep } from '../actors';
import { isLeft, nextTick, type Budget } from '../faults';
import type { Run } from '../execution';

/** What happens to one actor: its next step, and the faults that hit a step. */
export interface ActorChoice {
  readonly kind:
    | 'step'
    /** The next step of one of its timers. */
    | 'timer-step'
    /** Its in-flight statement arrives at the server. */
    | 'arrival'
    | 'error'
    | 'lose-reply'
    /** Its process is killed, its step is in flight. */
    | 'in-flight'
    | 'slow'
    | 'overrun';
  readonly actor: string;
}

/** What happens to one process, by its number from 1. */
export interface ProcessChoice {
  readonly kind: 'kill' | 'host-down' | 'pause' | 'resume' | 'cut' | 'lost-session';
  readonly process: number;
}

/** What happens to the clock. */
export interface TimeChoice {
  readonly kind: 'lapse' | 'tick';
}

/** What happens to one of the strategy's own Redis servers, by its number from 1; absent: the lab's Redis. */
export type ServerChoice =
  | { readonly kind: 'flush'; readonly server?: number }
  | { readonly kind: 'server-down'; readonly server: number };

/** One decision of a schedule. Kinds that are faults have the names of `FAULTS`. */
export type Choice = ActorChoice | ProcessChoice | TimeChoice | ServerChoice;

/** The subject of a choice: an actor, a process, a server, or nothing. */
const subjectOf = (choice: Choice): string | number | undefined =>
  'actor' in choice
    ? choice.actor
    : 'process' in choice
      ? choice.process
      : 'server' in choice
        ? choice.server
        : undefined;

export const isSame = (a: Choice, b: Choice): boolean => a.kind === b.kind && subjectOf(a) === subjectOf(b);

/** Restrictions on the points at which faults are injected; absent: none. */
export interface FaultPlaces {
  /** `release`: a lease ends only when its holder is about to release the lock. */
  readonly lapse?: 'release';
  /** Only a command fails that acquires the lock, releases it, or writes the stock. */
  readonly error?: 'acquire' | 'release' | 'write';
  /** `no-expiry`: a process dies only while it holds a lock without an expiry. */
  readonly kill?: 'no-expiry';
}

/** The faults that can hit a step. */
export type StepFault = 'error' | 'lose-reply' | 'in-flight' | 'slow' | 'overrun';

const ON_WORK: readonly StepFault[] = ['slow'];
const ON_CALL: readonly StepFault[] = ['error', 'lose-reply', 'in-flight', 'overrun'];

/** The faults that can hit this step. */
export function faultsOn({ kind, verb }: Pick<Step, 'kind' | 'verb'>): readonly StepFault[] {
  if (kind === 'timer') return verb === 'WORK' ? ON_WORK : [];
  return kind === 'local' ? [] : ON_CALL;
}

const of = (kind: ActorChoice['kind'], { name }: Actor): ActorChoice => ({ kind, actor: name });

/** The enabled steps: of requests, then of timers. */
export function enabledSteps(run: Run): ActorChoice[] {
  return run.actors.flatMap((actor) => {
    if (actor.orphanedStep !== undefined)
      return actor.orphanedStep.task.held.includes(actor.orphanedStep) ? [of('arrival', actor)] : [];
    const main = mainStep(actor);
    const timer = timerStep(actor);
    return [
      ...(main !== undefined && run.isEnabled(main) ? [of('step', actor)] : []),
      ...(timer !== undefined && run.isEnabled(timer) ? [of('timer-step', actor)] : []),
    ];
  });
}

/** The paused processes that can resume; none when every request has ended. */
export const resumes = (run: Run): ProcessChoice[] =>
  isOver(run)
    ? []
    : run.processes.flatMap(({ alive, paused }, i) =>
        alive && paused ? [{ kind: 'resume', process: i + 1 }] : [],
      );

/** True when every request has ended. */
export const isOver = (run: Run): boolean => run.actors.every(({ outcome }) => outcome !== undefined);

/** The faults, and the resumes after a fault, that are possible now within the remaining budget. */
export function enabledFaults(run: Run, remaining: Budget, faultPlaces: FaultPlaces): Choice[] {
  if (isOver(run)) return [];
  const has = (fault: FaultName): boolean => isLeft(remaining, fault);
  const choices: Choice[] = [];
  for (const actor of run.actors.filter(isRunning))
    choices.push(...actorFaults(run, actor, has, faultPlaces));
  run.processes.forEach((process, i) => {
    choices.push(...processFaults(run, process, i + 1, has, faultPlaces));
  });
  if (has('lapse') && canLapse(run, faultPlaces)) choices.push({ kind: 'lapse' });
  if (has('tick') && nextTick(run) !== undefined) choices.push({ kind: 'tick' });
  if (has('flush') && holdsData(run, '')) choices.push({ kind: 'flush' });
  run.ownRedises.forEach(({ name }, i) => {
    if (run.unreachableServers.has(name)) return;
    if (has('flush') && holdsData(run, name)) choices.push({ kind: 'flush', server: i + 1 });
    if (has('server-down')) choices.push({ kind: 'server-down', server: i + 1 });
  });
  return choices;
}

/** True when this Redis holds a lock or other data of the strategy. */
const holdsData = (run: Run, server: string): boolean =>
  run.locks.hasAnyIn(server) || (run.subject.keepsOtherKeys && run.written.has(server));

const isRunning = (actor: Actor): boolean =>
  actor.outcome === undefined && actor.process.alive && !actor.process.paused;

function actorFaults(
  run: Run,
  actor: Actor,
  has: (fault: FaultName) => boolean,
  faultPlaces: FaultPlaces,
): Choice[] {
  const held = mainStep(actor);
  if (held === undefined || !run.isEnabled(held)) return [];
  const isPossible = (fault: StepFault): boolean => {
    switch (fault) {
      case 'error':
        return canFail(run, actor, held, faultPlaces);
      case 'in-flight':
        return actor.tasks[0]?.begun === true;
      case 'overrun':
        return run.clock.hasTimersOfCode;
      case 'lose-reply':
      case 'slow':
        return true;
    }
  };
  return faultsOn(held.step)
    .filter((fault) => has(fault) && isPossible(fault))
    .map((fault) => of(fault, actor));
}

function processFaults(
  run: Run,
  process: ActorProcess,
  number: number,
  has: (fault: FaultName) => boolean,
  faultPlaces: FaultPlaces,
): Choice[] {
  const hits = (kind: ProcessChoice['kind']): ProcessChoice => ({ kind, process: number });
  if (!process.alive) return [];
  if (process.paused) return [hits('resume')];
  const members = run.actors.filter((actor) => actor.process === process && actor.outcome === undefined);
  const cut = has('cut') && !process.cut && members.length > 0 ? [hits('cut')] : []; // possible before its first step
  if (!members.some((actor) => actor.tasks[0]?.begun === true)) return cut;
  const killable =
    faultPlaces.kill === undefined ||
    run.locks
      .states()
      .some((lock) => lock.expiresAt === undefined && members.some(({ name }) => name === lock.owner));
  return [
    ...(has('kill') && killable ? [hits('kill')] : []),
    ...(has('host-down') && members.every(canLoseHost) ? [hits('host-down')] : []),
    ...(has('pause') ? [hits('pause')] : []),
    ...cut,
    ...(has('lost-session') && members.some((actor) => actor.openSessions().size > 0)
      ? [hits('lost-session')]
      : []),
  ];
}

/** Not modeled: a step that the server ends after a time although nothing receives its answer. A command that waits in Redis, and a GET_LOCK. */
const canLoseHost = ({ waitsInServer, hasBlockingCommand }: Actor): boolean =>
  !waitsInServer && !hasBlockingCommand;

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
  const held = actor === undefined ? undefined : mainStep(actor);
  return actor !== undefined && held !== undefined && releases(run, actor, held);
}

/** The steps that fail, by the place of the fault. */
const FAILS: Readonly<
  Record<NonNullable<FaultPlaces['error']>, (run: Run, actor: Actor, held: HeldStep) => boolean>
> = {
  acquire: (run, actor, held) => acquires(run, actor, held),
  release: (run, actor, held) => releases(run, actor, held),
  write: ({ subject }, _, { step }) => subject.writes(step.text),
};

const canFail = (run: Run, actor: Actor, held: HeldStep, { error }: FaultPlaces): boolean =>
  error === undefined || FAILS[error](run, actor, held);

/**
 * The actor has not used the stock, or holds no lock; and the step takes a lock, looks at one, or, in code that is not the lab's, writes
 * where one may be.
 */
const acquires = (run: Run, actor: Actor, { step }: HeldStep): boolean =>
  (!hasUsedStock(run, actor) || !run.locks.states().some(({ owner }) => owner === actor.name)) &&
  (step.lock?.role === 'acquire' ||
    step.lock?.role === 'inspect' ||
    locksInDatabase(step.text) ||
    run.lockStores.some(
      (store) => (!store.pipelined || run.subject.isForeign === true) && store.touchedBy(step),
    ));

const hasUsedStock = ({ eventLog }: Run, { name }: Actor): boolean =>
  eventLog.events.some((event) => event.type === 'step' && event.actor === name && usesStock(event));

/**
 * The step concerns the lock that its actor holds: it checks the lock before a release, or releases it. A renewal
 * does neither; it may be the second command of an acquire.
 */
const releases = (run: Run, actor: Actor, { step }: HeldStep): boolean =>
  step.lock?.role !== 'renew' &&
  ((step.key !== undefined && run.locks.isHeldBy(actor.name, step.server ?? '', step.key)) ||
    run.lockStores.some(
      (store) => !store.pipelined && store.touchedBy(step) && run.locks.isHeldIn(store.name, actor.name),
    ));

/** The held step of the request. */
const mainStep = (actor: Actor): HeldStep | undefined => actor.tasks[0]?.held[0];

/** The first held step of a timer. */
const timerStep = (actor: Actor): HeldStep | undefined =>
  actor.tasks.slice(1).find(({ held }) => held.length > 0)?.held[0];

/** The step that a choice concerns, if any. */
export function stepOf(run: Run, choice: Choice): HeldStep | undefined {
  if (!('actor' in choice)) return undefined;
  const actor = run.actor(choice.actor);
  switch (choice.kind) {
    case 'arrival':
      return actor.orphanedStep;
    case 'timer-step':
      return timerStep(actor);
    case 'step':
    case 'error':
    case 'lose-reply':
    case 'in-flight':
    case 'slow':
    case 'overrun':
      return mainStep(actor);
  }
}

/** The fault that a choice injects; undefined for a step of an actor, an arrival and a resume. */
export const faultOf = ({ kind }: Choice): FaultName | undefined => (isFault(kind) ? kind : undefined);

const isFault = (kind: Choice['kind']): kind is Choice['kind'] & FaultName => kind in FAULTS;

/** The remaining budget after a choice. */
export function remainingAfter(budget: Budget, choice: Choice): Budget {
  const fault = faultOf(choice);
  return fault === undefined ? budget : { ...budget, [fault]: (budget[fault] ?? 0) - 1 };
}
