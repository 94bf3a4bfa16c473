import {
  isDeath,
  type LockChange,
  type LockState,
  type ScheduleEvent,
  type ScheduleHistory,
  type StepEvent,
} from './history';
import type { ScheduleViolation } from './violation';

/** From the acquire of the lock, or of more than half of its parts, to the last statement under it. Positions of events. */
export interface HoldInterval {
  /** The lock as a whole. */
  readonly key: string;
  readonly actor: string;
  readonly from: number;
  /** The last SQL statement under the lock; `from` without one. */
  readonly until: number;
}

/** Violations on lock keys: two holders, a release or renewal by another actor, a lock that never ends. */
export function judgeHolders(history: ScheduleHistory): ScheduleViolation[] {
  const holdIntervals = findHoldIntervals(history);
  return [
    ...overlaps(history, holdIntervals),
    ...foreignReleases(history, holdIntervals),
    ...foreignRenewals(history),
    ...stuck(history),
  ];
}

/** The whole lock that a change belongs to. */
const lockOf = ({ key, lock }: LockChange): string => lock ?? key;

/** The acquires: the positions at which an actor obtains more than half of the parts, or the only part. */
function acquires({ events, parts = 1 }: ScheduleHistory): Omit<HoldInterval, 'until'>[] {
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
  return acquires(history).map((acquire, i, all) => {
    const interval = { ...acquire, from: entryOf(history, acquire) };
    const again = all.slice(i + 1).find(({ actor, key }) => actor === acquire.actor && key === acquire.key);
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
    const work = events.filter(
      (event) =>
        event.type === 'step' &&
        event.actor === interval.actor &&
        event.kind === 'sql' &&
        event.verb !== 'ROLLBACK' &&
        !isLockStatement(event) &&
        !isUnread(event) &&
        event.n > interval.from &&
        event.n < (released?.n ?? Infinity),
    );
    const [first] = work;
    const isUnused = first === undefined || first.n > (again?.from ?? Infinity); // a lost reply: it acquired the lock again
    return { ...interval, until: isUnused ? interval.from : (work.at(-1)?.n ?? interval.from) };
  });
}

/**
 * The position of the last part that the holder obtained before its first statement. A majority is sufficient, but the
 * holder requests the remaining parts before it starts to work.
 */
function entryOf(
  { events, parts = 1 }: ScheduleHistory,
  { key, actor, from }: Omit<HoldInterval, 'until'>,
): number {
  if (parts === 1) return from;
  const firstWork = events.find(
    (event) =>
      event.type === 'step' &&
      event.actor === actor &&
      event.kind === 'sql' &&
      event.n > from &&
      !isLockStatement(event),
  );
  const last = events.findLast(
    ({ n, locks }) =>
      n < (firstWork?.n ?? from) &&
      locks?.some((change) => change.change === 'taken' && lockOf(change) === key && change.by === actor) ===
        true,
  );
  return Math.max(from, last?.n ?? from);
}

/** A statement on a lock in the database. It acquires or releases the lock and is not work under it. */
const isLockStatement = ({ lock }: StepEvent): boolean => lock !== undefined;

/** A read in flight from a dead process: it has no effect, because no actor receives its answer. */
const isUnread = ({ fault, verb }: StepEvent): boolean =>
  fault === 'in-flight' && (verb === 'SELECT' || verb === 'START');

function overlaps({ events }: ScheduleHistory, holdIntervals: readonly HoldInterval[]): ScheduleViolation[] {
  for (const first of holdIntervals)
    for (const second of holdIntervals) {
      if (first.key !== second.key || first.actor === second.actor) continue;
      if (second.until === second.from) continue; // it did no work under the lock
      if (!(first.from < second.from && second.from < first.until)) continue;
      const lost = lossOf(events, first, second.from);
      return [
        {
          kind: 'overlap',
          sentence:
            `two holders: ${first.actor} took the lock at step ${first.from}, ${lost}${second.actor} took it at step ` +
            `${second.from}, and ${first.actor} was at work until step ${first.until}`,
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
      const ownerHold = holdIntervals.findLast((t) => t.key === key && t.actor === owner && t.from < event.n);
      const own = holdIntervals.findLast((t) => t.key === key && t.actor === by && t.from < event.n);
      const lost = own === undefined ? `${by} never had it; ` : lossOf(events, own, event.n);
      const entered = holdIntervals.find(
        (t) => t.key === key && t.actor !== owner && t.from > event.n && t.from < (ownerHold?.until ?? 0),
      );
      return [
        {
          kind: 'foreign-release',
          sentence:
            `${by} released ${owner}'s lock: ${lost}${owner} took it at step ${ownerHold?.from ?? 0}, ${by}'s ` +
            `${event.type === 'step' ? (event.script ?? event.verb) : 'command'} at step ${event.n} removed it` +
            (entered === undefined ? '' : `; ${entered.actor} entered while ${owner} was inside`),
          at: [ownerHold?.from ?? event.n, event.n],
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

/** Locks that never end: without an expiry, or renewed by a timer whose request has ended. */
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
  const process = actors.find(({ name }) => name === owner)?.process;
  const died = events.some((event) => isDeath(event) && event.subject === process);
  return {
    kind: 'stuck',
    sentence:
      `${key} never ends: ${owner ?? 'an unknown actor'} took it${taken === undefined ? '' : ` at step ${taken.n}`}, it has no time to live, ` +
      (died ? 'and its holder is dead' : 'and no actor is left that would release it'),
    at: taken === undefined ? [] : [taken.n],
  };
}

/** A timer renews the lock after its request has ended: the lock lasts until the process exits. */
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

/** How a holder lost its lock before position `until`, as a clause that ends with ", "; empty if it did not. */
export function lossOf(
  events: readonly ScheduleEvent[],
  { key, actor, from }: HoldInterval,
  until: number,
): string {
  // a reentrant acquire or release by the holder is no loss
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
    flushed: `Redis lost ${actor}'s lock at step ${loss.n}`,
    released: `${actor}'s lock was deleted at step ${loss.n}`,
    replaced: `${actor}'s lock was overwritten at step ${loss.n}`,
    taken: '',
    renewed: '',
  }[change];
  return words === '' ? '' : `${words}, `;
}
