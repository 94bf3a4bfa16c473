import {
  isDeath,
  type EndEvent,
  type FaultEvent,
  type ScheduleEvent,
  type ScheduleHistory,
  type StepEvent,
} from './history';
import { cycleFrom } from '../wait-for-cycle';
import { obtainsNamedLock } from './named-lock';
import { isDeadlockVictim, isLockWaitTimeout } from './protections';
import { usesStock } from '../statements';
import type { ScheduleViolation } from './violation';

/** Actors that waited and did not get the lock: for each other, or for a lock without a working holder. */
export function judgeWaiting(history: ScheduleHistory): ScheduleViolation[] {
  return [
    ...deadLocks(history),
    ...cycles(history),
    ...neverEnded(history),
    ...keptByDatabase(history),
    ...starved(history),
    ...refusedNamedLock(history),
    ...refusedAsStale(history),
    ...late(history),
    ...notNotified(history),
  ];
}

/** The database detected a deadlock and aborted a transaction, and its actor was not served afterwards. */
function deadLocks({ events }: ScheduleHistory): ScheduleViolation[] {
  const isServed = (name: string): boolean =>
    events.some((event) => event.type === 'end' && event.actor === name && SERVED.has(event.code));
  return events.flatMap((event) =>
    event.type === 'step' && isDeadlockVictim(event) && !isServed(event.actor)
      ? [
          {
            kind: 'dead-lock' as const,
            sentence: `${event.actor}'s ${event.verb} at step ${event.n} completed a deadlock: the database aborted its transaction`,
            at: [event.n],
          },
        ]
      : [],
  );
}

/** Ends after which the buyer need not retry. */
const SERVED: ReadonlySet<string> = new Set(['APPLIED', 'STOCK.SOLD_OUT']);

/**
 * Lock holders that wait for each other: no actor can proceed until a lease or a timeout ends. Checked at time events,
 * which the schedule records when no actor can proceed.
 */
function cycles({ actors, events }: ScheduleHistory): ScheduleViolation[] {
  const owners = new Map<string, string>();
  const waits = new Map<string, { readonly key: string; readonly n: number }>();
  for (const event of events) {
    if (event.type === 'end') waits.delete(event.actor);
    if (isDeath(event))
      for (const { name, process } of actors) if (process === event.subject) waits.delete(name);
    if (event.type === 'step' && event.verb !== 'WAIT') {
      const isWaiting = isFailedAcquire(event);
      if (isWaiting) waits.set(event.actor, { key: event.key, n: event.n });
      else waits.delete(event.actor);
    }
    if (event.type === 'time') {
      const cycle = actors
        .map(({ name }) => cycleFrom(name, (other) => owners.get(waits.get(other)?.key ?? '')))
        .find((names) => names !== undefined);
      if (cycle !== undefined) return [cycleViolation(cycle, waits)];
    }
    for (const { key, change, by } of event.locks ?? [])
      if ((change === 'taken' || change === 'replaced') && by !== undefined) owners.set(key, by);
      else if (change !== 'renewed') owners.delete(key);
  }
  return [];
}

/** The step requested a lock in Redis, and the reply says that another one holds it. A command that failed or was not sent shows nothing. */
const isFailedAcquire = (event: StepEvent): event is StepEvent & { readonly key: string } =>
  event.kind === 'redis' &&
  event.key !== undefined &&
  event.lock?.role === 'acquire' &&
  event.error === undefined &&
  (event.locks ?? []).length === 0;

const cycleViolation = (
  names: readonly string[],
  waits: ReadonlyMap<string, { readonly key: string; readonly n: number }>,
): ScheduleViolation => ({
  kind: 'dead-lock',
  sentence: `a cycle of waiters: ${names
    .map(
      (name, i) =>
        `${name} waits for ${waits.get(name)?.key ?? ''}, which ${names[i + 1] ?? names[0] ?? ''} holds`,
    )
    .join('; ')}`,
  at: names.flatMap((name) => waits.get(name)?.n ?? []),
});

/** Actors that neither ended nor died, although the schedule let all leases and timeouts end. */
export function neverEnded({ actors, events }: ScheduleHistory): ScheduleViolation[] {
  const killed = events.flatMap((event) => (isDeath(event) ? [event.subject] : []));
  return actors
    .filter(
      ({ name, process }) =>
        !killed.includes(process) && !events.some((e) => e.type === 'end' && e.actor === name),
    )
    .map(({ name }) => ({
      kind: 'dead-lock' as const,
      sentence: `${name} waits forever: no actor can proceed, and no timeout is pending`,
      at: [events.length],
    }));
}

/** The database keeps the locks of a process whose host is down, and a statement of another one waited for them until its time-out. */
function keptByDatabase(history: ScheduleHistory): ScheduleViolation[] {
  const { actors, events } = history;
  const down = events.find(
    (event): event is FaultEvent => event.type === 'fault' && event.fault === 'host-down',
  );
  if (down === undefined) return [];
  const dead = actors.filter(({ process }) => process === down.subject);
  const named = namedLockRefusals(history).filter(({ holder }) => dead.some(({ name }) => name === holder));
  const refused = events.find(
    (event): event is StepEvent =>
      event.type === 'step' &&
      answeredAt(event) > down.n &&
      (isLockWaitTimeout(event) || named.some(({ step }) => step === event)),
  );
  if (refused === undefined) return [];
  return [
    {
      kind: 'stuck',
      sentence:
        `${refused.actor}'s ${refused.verb} at step ${refused.n} waited for a lock until its time-out: the host of ` +
        `${dead.map(({ name }) => name).join(', ')} is down since step ${down.n}, and the database keeps the session until TCP ` +
        'keep-alive or wait_timeout ends it',
      at: [down.n, refused.n],
    },
  ];
}

/** The end of an actor that did not obtain the lock. */
const NOT_OBTAINED = 'LOCK.NOT_OBTAINED';

/**
 * Actors that gave up waiting without a working holder: the lock was free, its owner had ended, or its owner had been dead
 * for longer than a lease. A timeout while the holder works is no violation.
 */
function starved(history: ScheduleHistory): ScheduleViolation[] {
  const owners = new Map<string, string>();
  const tries = new Map<string, Try>();
  const freed = new Map<string, number>();
  const found: ScheduleViolation[] = [];
  for (const event of history.events) {
    if (event.type === 'end' && event.code === NOT_OBTAINED) {
      const last = tries.get(event.actor);
      const violation =
        last === undefined ? refusedThoughFree(history, event, freed) : starvationOf(history, event, last);
      if (violation !== undefined) found.push(violation);
    }
    if (event.type === 'step') {
      const key = lockKeyOf(event) ?? tries.get(event.actor)?.key;
      if (takesLock(event)) tries.delete(event.actor);
      else if (key !== undefined && isTry(event))
        tries.set(event.actor, { key, ...holdingOf(owners, key, event.actor, history.parts), n: event.n });
    }
    for (const { key, change, by } of event.locks ?? [])
      if (change === 'taken' || change === 'replaced') {
        owners.set(key, by ?? '');
        freed.delete(key);
      } else if (change !== 'renewed') {
        owners.delete(key);
        freed.set(key, event.at ?? 0);
      }
  }
  return found;
}

/**
 * For code of which it is not known which steps are attempts: at two times after a lock became free it has taken steps, and has not
 * obtained it. `freed`: since when, virtual time.
 */
function refusedThoughFree(
  { events }: ScheduleHistory,
  { actor, n }: EndEvent,
  freed: ReadonlyMap<string, number>,
): ScheduleViolation | undefined {
  const steps = events.filter((event) => event.type === 'step' && event.actor === actor);
  for (const [key, since] of freed) {
    const later = new Set(steps.flatMap(({ at = 0 }) => (at > since ? [at] : [])));
    if (later.size >= 2)
      return { kind: 'starved', sentence: `${actor} gave up waiting although ${key} was free`, at: [n] };
  }
  return undefined;
}

/** The step obtained the lock or a part of it. */
const takesLock = ({ actor, locks = [] }: StepEvent): boolean =>
  locks.some(({ change, by }) => (change === 'taken' || change === 'replaced') && by === actor);

/** The last failed attempt of an actor to obtain a lock, and the state of the lock at that time. */
interface Try extends Holding {
  readonly key: string;
  readonly n: number;
}

/** The state of a lock. A lock with several parts may be neither free nor owned: no actor has a majority. */
interface Holding {
  readonly owner: string | undefined;
  readonly isFree: boolean;
}

const lockKeyOf = ({ key, lock, kind, verb }: StepEvent): string | undefined =>
  lock !== undefined || (kind === 'timer' && verb === 'WAIT') ? key : undefined;

/** The step requests a lock, looks at it, or waits for it. Timers (renewals) do not count. */
const isTry = ({ kind, verb, lock, timer }: StepEvent): boolean =>
  timer !== true &&
  ((kind === 'timer' && verb === 'WAIT') || lock?.role === 'acquire' || lock?.role === 'inspect');

/**
 * The owner that blocks `actor`, in any store: another actor with at least half of the parts, or `actor` itself, if it has
 * more than half and no other actor has one.
 */
function holdingOf(owners: ReadonlyMap<string, string>, lock: string, actor: string, parts = 1): Holding {
  const taken = [...owners].flatMap(([key, name]) =>
    key === lock || key.endsWith(` ${lock}`) ? [name] : [],
  );
  const partsOf = (name: string): number => taken.filter((other) => other === name).length;
  const other = taken.find((name) => name !== actor && partsOf(name) >= parts / 2);
  const hasAll = taken.length > parts / 2 && taken.every((name) => name === actor);
  const owner = other ?? (hasAll ? actor : undefined);
  return { owner, isFree: taken.length === 0 };
}

function starvationOf(
  history: ScheduleHistory,
  { actor, n, at = 0 }: EndEvent,
  { owner, isFree, n: tried }: Try,
): ScheduleViolation | undefined {
  const { events, leaseMs = Infinity, final } = history;
  if (owner === undefined && !isFree) return undefined; // a split vote: all actors must retry
  if (owner === undefined) {
    // free, and not because a lease ended just before the timeout
    const lapsed = events.some((event) => event.locks?.some(({ change }) => change === 'expired'));
    const waited = events.some(
      (event) =>
        event.type === 'step' && event.actor === actor && event.kind === 'timer' && event.verb === 'WAIT',
    );
    return lapsed || !waited
      ? undefined
      : { kind: 'starved', sentence: `${actor} gave up waiting although the lock was free`, at: [n] };
  }
  if (owner === actor)
    return { kind: 'dead-lock', sentence: `${actor} waited for a lock that it holds itself`, at: [n] };
  const end = endOf(history, owner);
  if (end === undefined || end.n > tried) return undefined; // the holder was working
  if (final.locks.some((lock) => lock.owner === owner && lock.expiresAt === undefined)) return undefined; // reported as stuck
  const sinceEnd = at - (end.at ?? 0);
  const isHarmed = end.type === 'fault' || wasHarmed(history, owner);
  if (isHarmed && sinceEnd <= leaseMs) return undefined;
  const how = end.type === 'fault' ? 'died' : 'ended';
  return {
    kind: 'starved',
    sentence:
      `${actor} was refused at step ${n} although ${owner}, whose lock it is, had ${how} at step ${end.n}` +
      (sinceEnd > 0 ? `, ${Math.round(sinceEnd)} ms before (a lease is ${leaseMs} ms)` : ''),
    at: [end.n, n],
  };
}

/** The number of the event right before which a step was answered, or of the step when that was at once. */
const answeredAt = ({ n, answeredAt = n }: StepEvent): number => answeredAt;

/** A GET_LOCK that was refused while another actor had the name. */
interface NamedLockRefusal {
  readonly step: StepEvent;
  readonly holder: string;
}

function namedLockRefusals({ events }: ScheduleHistory): NamedLockRefusal[] {
  const held = new Map<string, number>();
  const refusals: NamedLockRefusal[] = [];
  for (const event of events) {
    if (event.type !== 'step') continue;
    const isObtained = obtainsNamedLock(event);
    const [holder] = [...held].flatMap(([name, n]) => (n > 0 && name !== event.actor ? [name] : []));
    if (isObtained === true) held.set(event.actor, (held.get(event.actor) ?? 0) + 1);
    if (isObtained === false && holder !== undefined) refusals.push({ step: event, holder });
    if (/\bRELEASE_LOCK\(/i.test(event.text)) held.set(event.actor, (held.get(event.actor) ?? 0) - 1);
    if (/\bRELEASE_ALL_LOCKS\(/i.test(event.text)) held.delete(event.actor);
  }
  return refusals;
}

/** Actors that were refused a named lock although its holder had ended: its session is open, and keeps the lock. */
function refusedNamedLock(history: ScheduleHistory): ScheduleViolation[] {
  const refusals = namedLockRefusals(history);
  return history.events.flatMap((event) => {
    if (event.type !== 'end' || event.code !== NOT_OBTAINED) return [];
    const last = refusals.findLast(({ step }) => step.actor === event.actor && step.n < event.n);
    if (last === undefined || wasHarmed(history, last.holder)) return [];
    const end = endOf(history, last.holder);
    if (end?.type !== 'end' || end.n >= answeredAt(last.step)) return [];
    return [
      {
        kind: 'starved' as const,
        sentence: `${event.actor} was refused at step ${last.step.n} although ${last.holder} had ended at step ${end.n}: its session keeps the named lock`,
        at: [end.n, last.step.n],
      },
    ];
  });
}

/** The end of an actor that the row has refused because it has seen a newer token. */
const FENCED = 'LOCK.FENCED';

/**
 * Actors that were refused as stale although no other one had taken a step since their first: none can have a newer token, so that
 * the numbers do not increase. Not after a counter in Redis may have been lost.
 */
function refusedAsStale({ events }: ScheduleHistory): ScheduleViolation[] {
  const steps = events.filter((event) => event.type === 'step');
  return events.flatMap((end) => {
    if (end.type !== 'end' || end.code !== FENCED) return [];
    const first = steps.find(({ actor }) => actor === end.actor);
    const isOvertaken = (begin: StepEvent): boolean =>
      steps.some((step) => step.actor !== end.actor && answeredAt(step) > begin.n && step.n < end.n);
    const mayHaveLostCounter = events.some(
      (event) => event.type === 'fault' && LOSES_KEYS.has(event.fault) && event.n < end.n,
    );
    if (first === undefined || isOvertaken(first) || mayHaveLostCounter) return [];
    return [
      {
        kind: 'starved' as const,
        sentence: `${end.actor} was refused as stale at step ${end.n} although no other request had taken a step since its first, ${first.n}: no holder is newer, and the fencing tokens do not increase`,
        at: [first.n, end.n],
      },
    ];
  });
}

/** Faults after which a counter in Redis may begin again. */
const LOSES_KEYS: ReadonlySet<string> = new Set(['flush', 'server-down'] as const);

/** The event at which an actor ended or died. */
const endOf = ({ actors, events }: ScheduleHistory, name: string): EndEvent | FaultEvent | undefined => {
  const process = actors.find((actor) => actor.name === name)?.process;
  return events.find(
    (event): event is EndEvent | FaultEvent =>
      (event.type === 'end' && event.actor === name) || (isDeath(event) && event.subject === process),
  );
};

/**
 * A fault hit the actor, or its release failed because of one: its lock may then last for the whole lease. Without a fault a command that
 * fails is a bug of the actor's code.
 */
const wasHarmed = (history: ScheduleHistory, name: string): boolean =>
  wasHit(history, name) ||
  (history.events.some(
    (event) => event.type === 'fault' || (event.type === 'step' && event.fault !== undefined),
  ) &&
    history.events.some(
      (event) =>
        (event.type === 'warn' || (event.type === 'step' && event.error !== undefined)) &&
        event.actor === name,
    ));

/** A fault was injected into a command of the actor or into its process. */
function wasHit({ actors, events }: ScheduleHistory, name: string): boolean {
  const process = actors.find((actor) => actor.name === name)?.process;
  return events.some(
    (event) =>
      (event.type === 'step' && event.actor === name && event.fault !== undefined) ||
      (event.type === 'fault' && event.subject === process),
  );
}

/** An actor may make its last attempt later than its waiting time by a pause between two attempts: not by more than the time itself. */
export const LATE_AFTER_WAITS = 2;

/** Faults that move the time on, also for an actor that could not take its next step before. */
const MOVES_TIME: ReadonlySet<FaultEvent['fault']> = new Set([
  'lapse',
  'tick',
  'pause',
  'slow',
  'overrun',
] as const);

/**
 * Actors that waited far longer than they may until they had the lock and used the stock, or gave up; or that did neither. A fault may
 * delay the actor that it hits.
 */
function late(history: ScheduleHistory): ScheduleViolation[] {
  const { actors, events, waitMs = 0 } = history;
  if (waitMs === 0) return []; // it tries once, and may take any time for that
  if (events.some((event) => event.type === 'fault' && MOVES_TIME.has(event.fault))) return [];
  return actors.flatMap(({ name }): ScheduleViolation[] => {
    const own = events.filter((event) => 'actor' in event && event.actor === name);
    const last = endOfWaiting(own);
    const waited = ((last ?? events.at(-1))?.at ?? 0) - (own[0]?.at ?? 0);
    if (waited <= LATE_AFTER_WAITS * waitMs || wasHit(history, name)) return [];
    const what = last === undefined ? 'had not given up' : last.type === 'end' ? 'gave up' : 'had the lock';
    const { n } = last ?? own.at(-1) ?? { n: 0 };
    return [
      {
        kind: 'late',
        sentence: `${name} ${what} at step ${n}, ${Math.round(waited)} ms after its first step, and may wait ${waitMs} ms for the lock`,
        at: [n],
      },
    ];
  });
}

/** The event at which an actor no longer waits: it has taken a lock, and it has used the stock; or it has ended. Undefined: it waits. */
function endOfWaiting(own: readonly ScheduleEvent[]): ScheduleEvent | undefined {
  const taken = own.find((event) => event.type === 'step' && takesLock(event));
  const used = own.find((event) => event.type === 'step' && usesStock(event));
  const [later] = [taken, used].filter((event) => event !== undefined).sort((a, b) => b.n - a.n);
  return used === undefined || later === undefined ? own.find(({ type }) => type === 'end') : later;
}

/** Waiters without a notification (lost wake-up): the lock was released, and they still wait when time advances. */
function notNotified({ events }: ScheduleHistory): ScheduleViolation[] {
  const steps = events.filter((event) => event.type === 'step');
  for (const time of events.filter(({ type }) => type === 'time')) {
    const next = steps.filter(({ n }) => n > time.n);
    const waiter = next.find(
      (step) =>
        step.verb === 'WAIT' &&
        step.awaits === 'notification' &&
        next.find(({ actor }) => actor === step.actor) === step,
    );
    const last = events.findLast(
      ({ n, locks }) => n <= time.n && locks?.some(({ key }) => key === waiter?.key) === true,
    );
    if (waiter === undefined || last?.locks?.findLast(({ key }) => key === waiter.key)?.change !== 'released')
      continue;
    return [
      {
        kind: 'starved',
        sentence: `${waiter.actor} kept waiting although the lock was released at step ${last.n}: it was not notified`,
        at: [last.n, time.n],
      },
    ];
  }
  return [];
}
