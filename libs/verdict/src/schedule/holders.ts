import type { ScheduleEvent, ScheduleHistory, StepEvent } from './history';
import type { ScheduleViolation } from './violation';

/** What an actor believes: from taking a key to its last statement that needs it. Positions of events. */
interface Tenure {
  readonly key: string;
  readonly actor: string;
  readonly from: number;
  /** Its last SQL statement under the lock; `from` when it made none. */
  readonly until: number;
}

/** What the lock keys say: two holders, a lock deleted by somebody else, a lock that nobody will ever release. */
export function judgeHolders(history: ScheduleHistory): ScheduleViolation[] {
  const tenures = findTenures(history);
  return [
    ...overlaps(history, tenures),
    ...foreignReleases(history, tenures),
    ...foreignRenewals(history),
    ...stuck(history),
  ];
}

function findTenures({ events }: ScheduleHistory): Tenure[] {
  const taken = events.flatMap((event) =>
    (event.locks ?? [])
      .filter(({ change }) => change === 'taken' || change === 'replaced')
      .flatMap(({ key, by }) => (by === undefined ? [] : [{ key, actor: by, from: event.n }])),
  );
  return taken.map((tenure) => {
    const released = events.find(
      (event) =>
        event.n > tenure.from &&
        event.locks?.some(
          ({ key, change, by, owner }) =>
            key === tenure.key && change === 'released' && by === tenure.actor && owner === tenure.actor,
        ),
    );
    const last = events.findLast(
      (event): event is StepEvent =>
        event.type === 'step' &&
        event.actor === tenure.actor &&
        event.kind === 'sql' &&
        event.verb !== 'ROLLBACK' &&
        event.n > tenure.from &&
        event.n < (released?.n ?? Infinity),
    );
    return { ...tenure, until: last?.n ?? tenure.from };
  });
}

function overlaps({ events }: ScheduleHistory, tenures: readonly Tenure[]): ScheduleViolation[] {
  for (const first of tenures)
    for (const second of tenures) {
      if (first.key !== second.key || first.actor === second.actor) continue;
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

function foreignReleases({ events }: ScheduleHistory, tenures: readonly Tenure[]): ScheduleViolation[] {
  for (const event of events)
    for (const { key, change, by, owner } of event.locks ?? []) {
      if (change !== 'released' || by === undefined || owner === undefined || by === owner) continue;
      const theirs = tenures.findLast((t) => t.key === key && t.actor === owner && t.from < event.n);
      const own = tenures.findLast((t) => t.key === key && t.actor === by && t.from < event.n);
      const lost = own === undefined ? `${by} never had it; ` : lossOf(events, own, event.n);
      const entered = tenures.find(
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
            `${by} prolonged ${owner}'s lock: its ` +
            `${event.type === 'step' ? (event.script ?? event.verb) : 'command'} at step ${event.n} set the expiry anew`,
          at: [event.n],
        },
      ];
    }
  return [];
}

function stuck({ actors, final, events }: ScheduleHistory): ScheduleViolation[] {
  return final.locks
    .filter(({ expiresAt }) => expiresAt === undefined)
    .map(({ key, owner }) => {
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
        kind: 'stuck' as const,
        sentence:
          `${key} stays for ever: ${owner ?? 'somebody'} took it${taken === undefined ? '' : ` at step ${taken.n}`}, it has no time to live, ` +
          (died ? 'and its holder is dead' : 'and nobody will release it'),
        at: taken === undefined ? [] : [taken.n],
      };
    });
}

/** How a holder lost its lock before position `until`, in words that end with "; ". */
function lossOf(events: readonly ScheduleEvent[], { key, actor, from }: Tenure, until: number): string {
  const loss = events.find(
    (event) =>
      event.n > from &&
      event.n <= until &&
      event.locks?.some((c) => c.key === key && c.owner === actor && c.change !== 'renewed'),
  );
  const change = loss?.locks?.find((c) => c.key === key && c.owner === actor)?.change;
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
