import type { EndEvent, FaultEvent, ScheduleHistory, StepEvent } from './history';
import { isDeadlockVictim } from './protections';
import type { ScheduleViolation } from './violation';

/** Actors that waited in vain: for one another, or for a lock that no holder was at work under. */
export function judgeWaiting(history: ScheduleHistory): ScheduleViolation[] {
  return [
    ...deadLocks(history),
    ...circles(history),
    ...endless(history),
    ...starved(history),
    ...asleep(history),
  ];
}

/** The database found a circle and sacrificed a transaction, and its actor was not served all the same. */
function deadLocks({ events }: ScheduleHistory): ScheduleViolation[] {
  const isServed = (name: string): boolean =>
    events.some((event) => event.type === 'end' && event.actor === name && SERVED.has(event.code));
  return events.flatMap((event) =>
    event.type === 'step' && isDeadlockVictim(event) && !isServed(event.actor)
      ? [
          {
            kind: 'dead-lock' as const,
            sentence: `${event.actor}'s ${event.verb} at step ${event.n} closed a circle of waiters: the database gave it up`,
            at: [event.n],
          },
        ]
      : [],
  );
}

/** Ends after which a request need not be made again. */
const SERVED: ReadonlySet<string> = new Set(['APPLIED', 'STOCK.SOLD_OUT']);

/**
 * Holders of locks that wait for one another: nobody can move until a lease or somebody's patience ends. Found where the
 * schedule says that nobody can move.
 */
function circles({ actors, events }: ScheduleHistory): ScheduleViolation[] {
  const owners = new Map<string, string>();
  const wants = new Map<string, { readonly key: string; readonly n: number }>();
  for (const event of events) {
    if (event.type === 'end') wants.delete(event.actor);
    if (event.type === 'fault' && (event.fault === 'kill' || event.fault === 'in-flight'))
      for (const { name, process } of actors) if (process === event.subject) wants.delete(name);
    if (event.type === 'step' && event.verb !== 'WAIT') {
      const isTry = isTryInVain(event);
      if (isTry) wants.set(event.actor, { key: event.key, n: event.n });
      else wants.delete(event.actor);
    }
    if (event.type === 'time') {
      const circle = actors
        .map(({ name }) => circleFrom(name, owners, wants))
        .find((names) => names !== undefined);
      if (circle !== undefined) return [circleInWords(circle, wants)];
    }
    for (const { key, change, by } of event.locks ?? [])
      if ((change === 'taken' || change === 'replaced') && by !== undefined) owners.set(key, by);
      else if (change !== 'renewed') owners.delete(key);
  }
  return [];
}

/** It asked for a lock, and changed nothing. */
const isTryInVain = (event: StepEvent): event is StepEvent & { readonly key: string } =>
  event.kind === 'redis' && event.key?.startsWith('lock:') === true && (event.locks ?? []).length === 0;

/** Who waits for whom, from `start` back to it; undefined when it does not lead back. */
function circleFrom(
  start: string,
  owners: ReadonlyMap<string, string>,
  wants: ReadonlyMap<string, { readonly key: string }>,
): readonly string[] | undefined {
  const names = [start];
  for (;;) {
    const next = owners.get(wants.get(names.at(-1) ?? '')?.key ?? '');
    if (next === undefined) return undefined;
    if (next === start) return names.length > 1 ? names : undefined;
    if (names.includes(next)) return undefined;
    names.push(next);
  }
}

const circleInWords = (
  names: readonly string[],
  wants: ReadonlyMap<string, { readonly key: string; readonly n: number }>,
): ScheduleViolation => ({
  kind: 'dead-lock',
  sentence: `a circle of waiters: ${names
    .map(
      (name, i) =>
        `${name} waits for ${wants.get(name)?.key ?? ''}, which ${names[i + 1] ?? names[0] ?? ''} holds`,
    )
    .join('; ')}`,
  at: names.flatMap((name) => wants.get(name)?.n ?? []),
});

/** Actors that neither ended nor died although everybody was given all the time there is. */
function endless({ actors, events }: ScheduleHistory): ScheduleViolation[] {
  const gone = events.flatMap((event) =>
    event.type === 'fault' && (event.fault === 'kill' || event.fault === 'in-flight') ? [event.subject] : [],
  );
  return actors
    .filter(
      ({ name, process }) =>
        !gone.includes(process) && !events.some((e) => e.type === 'end' && e.actor === name),
    )
    .map(({ name }) => ({
      kind: 'dead-lock' as const,
      sentence: `${name} waits for ever: nobody can move, and no time-out ends it`,
      at: [events.length],
    }));
}

/** Ends that mean: the lock was not obtained. */
const NOT_OBTAINED = 'LOCK.NOT_OBTAINED';

/**
 * Gave up waiting with no holder at work: the lock was free, or its owner had ended, or was dead for longer than a lease.
 * A waiter whose own time runs out while the holder is at work was served as promised.
 */
function starved(history: ScheduleHistory): ScheduleViolation[] {
  const owners = new Map<string, string>();
  const tries = new Map<string, Try>();
  const found: ScheduleViolation[] = [];
  for (const event of history.events) {
    if (event.type === 'end' && event.code === NOT_OBTAINED) {
      const last = tries.get(event.actor);
      const violation = last === undefined ? undefined : refusedInVain(history, event, last);
      if (violation !== undefined) found.push(violation);
    }
    if (event.type === 'step') {
      const key = wantedBy(event) ?? tries.get(event.actor)?.key;
      if (takesLock(event)) tries.delete(event.actor);
      else if (key !== undefined && isTry(event))
        tries.set(event.actor, { key, ...holdingOf(owners, key, event.actor, history.parts), n: event.n });
    }
    for (const { key, change, by } of event.locks ?? [])
      if (change === 'taken' || change === 'replaced') owners.set(key, by ?? '');
      else if (change !== 'renewed') owners.delete(key);
  }
  return found;
}

/** The step has obtained the lock, or a part of it: it did not ask in vain. */
const takesLock = ({ actor, locks = [] }: StepEvent): boolean =>
  locks.some(({ change, by }) => (change === 'taken' || change === 'replaced') && by === actor);

/** The last time that an actor asked for a lock in vain, and its state at that time. */
interface Try extends Holding {
  readonly key: string;
  readonly n: number;
}

/** The state of a lock. A lock in several parts may be neither free nor owned: no actor has more than half of its parts. */
interface Holding {
  readonly owner: string | undefined;
  readonly isFree: boolean;
}

const wantedBy = ({ key }: StepEvent): string | undefined =>
  key?.startsWith('lock:') === true ? key : undefined;

/** It asked for a lock, or waits for it; a release, or leaving a queue, asks for nothing, and a timer renews. */
const isTry = ({ kind, verb, text, script, timer }: StepEvent): boolean =>
  timer !== true &&
  ((kind === 'timer' && verb === 'WAIT') ||
    (kind === 'sql' && verb === 'INSERT' && text.includes('balance_lock')) ||
    (kind === 'redis' && verb !== 'DEL' && script?.startsWith('release') !== true) ||
    (kind === 'zk' && verb !== 'DELETE') ||
    (kind === 'etcd' && verb !== 'REVOKE') ||
    (kind === 'fs' && verb !== 'RMDIR'));

/**
 * What keeps `asker` from a lock, in whichever store it lives: another actor with half of its parts or more, or `asker`
 * itself with more than half.
 */
function holdingOf(owners: ReadonlyMap<string, string>, lock: string, asker: string, parts = 1): Holding {
  const taken = [...owners].flatMap(([key, name]) =>
    key === lock || key.endsWith(` ${lock}`) ? [name] : [],
  );
  const partsOf = (name: string): number => taken.filter((other) => other === name).length;
  const other = taken.find((name) => name !== asker && partsOf(name) >= parts / 2);
  const owner = other ?? (partsOf(asker) > parts / 2 ? asker : undefined);
  return { owner, isFree: taken.length === 0 };
}

function refusedInVain(
  history: ScheduleHistory,
  { actor, n, at = 0 }: EndEvent,
  { owner, isFree, n: tried }: Try,
): ScheduleViolation | undefined {
  const { events, leaseMs = Infinity, final } = history;
  if (owner === undefined && !isFree) return undefined; // a split vote: every actor has to try again
  if (owner === undefined) {
    // free, and not because a lease ended in the very last moment
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
  const gone = goneAt(history, owner);
  if (gone === undefined || gone.n > tried) return undefined; // the holder was at work
  if (final.locks.some((lock) => lock.owner === owner && lock.expiresAt === undefined)) return undefined; // stuck says it
  const goneFor = at - (gone.at ?? 0);
  const isHarmed = gone.type === 'fault' || wasHarmed(history, owner);
  if (isHarmed && goneFor <= leaseMs) return undefined;
  const how = gone.type === 'fault' ? 'died' : 'ended';
  return {
    kind: 'starved',
    sentence:
      `${actor} was refused at step ${n} although ${owner}, whose lock it is, had ${how} at step ${gone.n}` +
      (goneFor > 0 ? `, ${Math.round(goneFor)} ms before (a lease is ${leaseMs} ms)` : ''),
    at: [gone.n, n],
  };
}

/** When an actor ended or died. */
const goneAt = ({ actors, events }: ScheduleHistory, name: string): EndEvent | FaultEvent | undefined => {
  const home = actors.find((actor) => actor.name === name)?.process;
  return events.find(
    (event): event is EndEvent | FaultEvent =>
      (event.type === 'end' && event.actor === name) ||
      (event.type === 'fault' &&
        (event.fault === 'kill' || event.fault === 'in-flight') &&
        event.subject === home),
  );
};

/** A fault hit one of its own steps, or its release failed: the lock may last for its whole lease then. */
const wasHarmed = ({ actors, events }: ScheduleHistory, name: string): boolean => {
  const home = actors.find((actor) => actor.name === name)?.process;
  return events.some(
    (event) =>
      (event.type === 'step' && event.actor === name && (event.fault ?? event.error) !== undefined) ||
      (event.type === 'warn' && event.actor === name) ||
      (event.type === 'fault' && event.subject === home),
  );
};

/** Waited for news of a lock that had been released already: time went on, and nobody told them. */
function asleep({ events }: ScheduleHistory): ScheduleViolation[] {
  const steps = events.filter((event) => event.type === 'step');
  for (const time of events.filter(({ type }) => type === 'time')) {
    const next = steps.filter(({ n }) => n > time.n);
    const sleeper = next.find(
      (step) =>
        step.verb === 'WAIT' &&
        step.awaits === 'notification' &&
        next.find(({ actor }) => actor === step.actor) === step,
    );
    const last = events.findLast(
      ({ n, locks }) => n <= time.n && locks?.some(({ key }) => key === sleeper?.key) === true,
    );
    if (
      sleeper === undefined ||
      last?.locks?.findLast(({ key }) => key === sleeper.key)?.change !== 'released'
    )
      continue;
    return [
      {
        kind: 'starved',
        sentence: `${sleeper.actor} waited on although the lock was released at step ${last.n}: it was not notified`,
        at: [last.n, time.n],
      },
    ];
  }
  return [];
}
