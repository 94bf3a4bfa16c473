import type { LockChange, LockState, ScheduleEvent, ScheduleHistory, StepEvent } from './history';
import type { ScheduleViolation } from './violation';

/** A holder: from taking the lock, or more than half of its parts, to the last statement under it. Positions of events. */
export interface HoldInterval {
  /** The lock as a whole. */
  readonly key: string;
  readonly actor: string;
  readonly from: number;
  /** Its last SQL statement under the lock; `from` when it made none. */
  readonly until: number;
}

/** What the lock keys say: two holders, a lock deleted by another actor, a lock that never ends. */
export function judgeHolders(history: ScheduleHistory): ScheduleViolation[] {
  const holdIntervals = findHoldIntervals(history);
  return [
    ...overlaps(history, holdIntervals),
    ...foreignReleases(history, holdIntervals),
    ...foreignRenewals(history),
    ...stuck(history),
  ];
}

/** The lock as a whole that a change is about. */
const lockOf = ({ key, lock }: LockChange): string => lock ?? key;

/** Who has more than half of the parts from which position on. Where a lock has one part, that is whoever takes it. */
function takings({ events, parts = 1 }: ScheduleHistory): Omit<HoldInterval, 'until'>[] {
  const owners = new Map<string, { readonly lock: string; readonly owner: string | undefined }>();
  const partsOf = (owner: string, lock: string): number =>
    [...owners.values()].filter((part) => part.lock === lock && part.owner === owner).length;
  return events.flatMap((event) =>
    (event.locks ?? []).flatMap((change) => {
      const { key, by } = change;
      const lock = lockOf(change);
      if (change.change === 'renewed') return [];
      const had = by === undefined ? 0 : partsOf(by, lock);
      owners.delete(key);
      if (change.change !== 'taken' && change.change !== 'replaced') return [];
      owners.set(key, { lock, owner: by });
      if (by === undefined || partsOf(by, lock) <= parts / 2 || (parts > 1 && had > parts / 2)) return [];
      return [{ key: lock, actor: by, from: event.n }];
    }),
  );
}

export function findHoldIntervals(history: ScheduleHistory): HoldInterval[] {
  const { events } = history;
  return takings(history).map((taking) => {
    const interval = { ...taking, from: entryOf(history, taking) };
    const released = events.find(
      (event) =>
        event.n > interval.from &&
        event.locks?.some(
          (change) =>
            lockOf(change) === interval.key &&
            change.change === 'released' &&
            change.by === interval.actor &&
            change.owner === interval.actor,
        ),
    );
    const last = events.findLast(
      (event): event is StepEvent =>
        event.type === 'step' &&
        event.actor === interval.actor &&
        event.kind === 'sql' &&
        event.verb !== 'ROLLBACK' &&
        !isLockStatement(event) &&
        !isUnread(event) &&
        event.n > interval.from &&
        event.n < (released?.n ?? Infinity),
    );
    return { ...interval, until: last?.n ?? interval.from };
  });
}

/**
 * Where the holder has got its last part of the lock before its first statement under it: more than half of the parts are
 * enough, but it goes on asking for the others, and enters only then.
 */
function entryOf(
  { events, parts = 1 }: ScheduleHistory,
  { key, actor, from }: Omit<HoldInterval, 'until'>,
): number {
  if (parts === 1) return from;
  const enters = events.find(
    (event) =>
      event.type === 'step' &&
      event.actor === actor &&
      event.kind === 'sql' &&
      event.n > from &&
      !isLockStatement(event),
  );
  const last = events.findLast(
    ({ n, locks }) =>
      n < (enters?.n ?? from) &&
      locks?.some((change) => change.change === 'taken' && lockOf(change) === key && change.by === actor) ===
        true,
  );
  return Math.max(from, last?.n ?? from);
}

/** A statement on a lock that lives in the database: taking or releasing it is no work under it. */
const isLockStatement = ({ text }: StepEvent): boolean =>
  /\bbalance_lock\b|GET_LOCK\(|RELEASE_LOCK\(/.test(text);

/** It is on its way from a dead process and writes nothing: no actor is left that would use its answer. */
const isUnread = ({ fault, verb }: StepEvent): boolean =>
  fault === 'in-flight' && (verb === 'SELECT' || verb === 'START');

function overlaps({ events }: ScheduleHistory, holdIntervals: readonly HoldInterval[]): ScheduleViolation[] {
  for (const first of holdIntervals)
    for (const second of holdIntervals) {
      if (first.key !== second.key || first.actor === second.actor) continue;
      if (second.until === second.from) continue; // it gave the lock back without any work under it
      if (!(first.from < second.from && second.from < first.until)) continue;
      const lost = lossOf(events, first, second.from);
      return [
        {
          kind: 'overlap',
          sentence:
            `two holders: ${first.actor} took the lock at step ${first.from}, ${lost}${second.actor} took it at step ` +
            `${second.from}, and ${first.actor} went on until step ${first.until}`,
          at: [first.from, second.from, first.until],
        },
      ];
    }
  return [];
}

function foreignReleases(
  { events }: ScheduleHistory,
  holdIntervals: readonly HoldInterval[],
): ScheduleViolation[] {
  for (const event of events)
    for (const lockChange of event.locks ?? []) {
      const { change, by, owner } = lockChange;
      const key = lockOf(lockChange);
      if (change !== 'released' || by === undefined || owner === undefined || by === owner) continue;
      const theirs = holdIntervals.findLast((t) => t.key === key && t.actor === owner && t.from < event.n);
      const own = holdIntervals.findLast((t) => t.key === key && t.actor === by && t.from < event.n);
      const lost = own === undefined ? `${by} never had it; ` : lossOf(events, own, event.n);
      const entered = holdIntervals.find(
        (t) => t.key === key && t.actor !== owner && t.from > event.n && t.from < (theirs?.until ?? 0),
      );
      return [
        {
          kind: 'foreign-release',
          sentence:
            `${by} released ${owner}'s lock: ${lost}${owner} took it at step ${theirs?.from ?? 0}, ${by}'s ` +
            `${event.type === 'step' ? (event.script ?? event.verb) : 'command'} at step ${event.n} removed it` +
            (entered === undefined ? '' : `; ${entered.actor} entered while ${owner} was inside`),
          at: [theirs?.from ?? event.n, event.n],
        },
      ];
    }
  return [];
}

function foreignRenewals({ events }: ScheduleHistory): ScheduleViolation[] {
  for (const event of events)
    for (const { change, by, owner } of event.locks ?? []) {
      if (change !== 'renewed' || by === undefined || owner === undefined || by === owner) continue;
      return [
        {
          kind: 'foreign-renewal',
          sentence:
            `${by} renewed ${owner}'s lock: its ` +
            `${event.type === 'step' ? (event.script ?? event.verb) : 'command'} at step ${event.n} reset the expiry`,
          at: [event.n],
        },
      ];
    }
  return [];
}

/** Locks that never end: without a time to live, or renewed by a timer whose request has ended. */
function stuck(history: ScheduleHistory): ScheduleViolation[] {
  return history.final.locks.flatMap((lock) => {
    const renewal = renewalAfterEnd(history, lock);
    if (lock.expiresAt !== undefined) return renewal === undefined ? [] : [renewal];
    return [withoutExpiry(history, lock)];
  });
}

function withoutExpiry({ actors, events }: ScheduleHistory, { key, owner }: LockState): ScheduleViolation {
  const taken = events.findLast(({ locks }) =>
    locks?.some((change) => change.key === key && change.change !== 'released'),
  );
  const home = actors.find(({ name }) => name === owner)?.process;
  const died = events.some(
    (event) =>
      event.type === 'fault' &&
      (event.fault === 'kill' || event.fault === 'in-flight') &&
      event.subject === home,
  );
  return {
    kind: 'stuck',
    sentence:
      `${key} never ends: ${owner ?? 'an unknown actor'} took it${taken === undefined ? '' : ` at step ${taken.n}`}, it has no time to live, ` +
      (died ? 'and its holder is dead' : 'and no actor is left that would release it'),
    at: taken === undefined ? [] : [taken.n],
  };
}

/** A timer that outlived its request still renews the lock: it ends when the process does, and not before. */
function renewalAfterEnd({ events }: ScheduleHistory, { key }: LockState): ScheduleViolation | undefined {
  for (const event of events) {
    if (event.type !== 'step' || event.timer !== true) continue;
    const isRenewal = event.locks?.some((change) => change.key === key && change.change === 'renewed');
    const end = events.find((other) => other.type === 'end' && other.actor === event.actor);
    if (isRenewal !== true || end === undefined || end.n > event.n) continue;
    return {
      kind: 'stuck',
      sentence: `${key} never ends: ${event.actor} had ended at step ${end.n}, and its timer still renews the lock (step ${event.n})`,
      at: [end.n, event.n],
    };
  }
  return undefined;
}

/** How a holder lost its lock before position `until`, in words that end with "; ". */
export function lossOf(
  events: readonly ScheduleEvent[],
  { key, actor, from }: HoldInterval,
  until: number,
): string {
  // a holder that takes its lock once more, or gives back one of several times, still has it
  const isLoss = (change: LockChange): boolean =>
    lockOf(change) === key &&
    change.owner === actor &&
    change.change !== 'renewed' &&
    !(change.change === 'replaced' && change.by === actor);
  const loss = events.find(
    (event) => event.n > from && event.n <= until && event.locks?.some((change) => isLoss(change)),
  );
  const change = loss?.locks?.find(isLoss)?.change;
  if (loss === undefined || change === undefined) return '';
  const words = {
    expired: `${actor}'s lease ended at step ${loss.n}`,
    flushed: `Redis lost it at step ${loss.n}`,
    released: `it was deleted at step ${loss.n}`,
    replaced: `it was overwritten at step ${loss.n}`,
    taken: '',
    renewed: '',
  }[change];
  return words === '' ? '' : `${words}, `;
}
