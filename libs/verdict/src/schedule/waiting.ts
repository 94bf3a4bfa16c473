import type { ScheduleHistory } from './history';
import type { ScheduleViolation } from './violation';

/** Who waited in vain: for one another, or for a lock that was free in the end. */
export function judgeWaiting(history: ScheduleHistory): ScheduleViolation[] {
  return [...deadLocks(history), ...endless(history), ...starved(history)];
}

/** The database found a circle and sacrificed a transaction. */
function deadLocks({ events }: ScheduleHistory): ScheduleViolation[] {
  return events.flatMap((event) =>
    event.type === 'step' && event.error?.includes('Deadlock found') === true
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

/** Waited, and gave up although the lock was free when everything was over, with no lease having ended in between. */
function starved({ events, final }: ScheduleHistory): ScheduleViolation[] {
  if (final.locks.length > 0) return [];
  const lapsed = events.some((event) => event.locks?.some(({ change }) => change === 'expired'));
  const waited = (actor: string): boolean =>
    events.some((event) => event.type === 'step' && event.actor === actor && event.verb === 'WAIT');
  return events.flatMap((event) =>
    event.type === 'end' && event.code === 'LOCK.NOT_OBTAINED' && !lapsed && waited(event.actor)
      ? [
          {
            kind: 'starved' as const,
            sentence: `${event.actor} gave up waiting although the lock became free`,
            at: [event.n],
          },
        ]
      : [],
  );
}
