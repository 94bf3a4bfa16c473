import { locksInDatabase } from '#lab/step';
import type { LockChange, ScheduleEvent, ScheduleHistory, StepEvent } from './history';
import { findHoldIntervals } from './holders';
import { usesStock, writesStock } from '../statements';
import { obtainsNamedLock } from './named-lock';
import type { ScheduleViolation } from './violation';

/** A lock that an actor obtained, by its name. */
interface Obtained {
  readonly actor: string;
  readonly lock: string;
}

/**
 * Actors that sold without the lock that others had, after a command of theirs had failed before their write. With another lock instead
 * they are violations only where a unit is sold twice (`isSoldTwice`): it may protect the stock as well.
 */
export function judgeFailOpen(history: ScheduleHistory, isSoldTwice: boolean): ScheduleViolation[] {
  const sellers = new Set(history.final.movements.map(({ request }) => request));
  return [...sellers].flatMap((seller): ScheduleViolation[] => {
    const failed = failedBeforeWrite(history, seller);
    if (failed === undefined) return []; // as in most schedules
    const obtained = obtainedIn(history);
    const own = locksOf(obtained, (actor) => actor === seller);
    const others = locksOf(obtained, (actor) => actor !== seller);
    const hasIt = others.size === 0 || [...own].some((lock) => others.has(lock));
    if (hasIt || (own.size > 0 && !isSoldTwice)) return [];
    const command = failed.script ?? failed.verb;
    return [
      {
        kind: 'fail-open',
        sentence:
          `${seller} sold without the lock: its ${command} failed at step ${failed.n}, and ` +
          (own.size === 0
            ? 'it never obtained the lock'
            : 'the lock that it obtained instead is not that of the others'),
        at: [failed.n],
      },
    ];
  });
}

const locksOf = (obtained: readonly Obtained[], of: (actor: string) => boolean): ReadonlySet<string> =>
  new Set(obtained.filter(({ actor }) => of(actor)).map(({ lock }) => lock));

/** The locks that actors obtained: keys and rows, also those whose owner is not known, and locks of the database. */
const obtainedIn = (history: ScheduleHistory): readonly Obtained[] => [
  ...findHoldIntervals(history).map(({ actor, key }) => ({ actor, lock: key })),
  ...history.events.filter((event): event is StepEvent => event.type === 'step').flatMap(obtainedBy),
];

const obtainedBy = (step: StepEvent): readonly Obtained[] => [
  ...(step.locks ?? []).filter(isTakenByUnknown).map(({ key }) => ({ actor: step.actor, lock: key })),
  ...(locksInDatabase(step.text) && grants(step) ? [{ actor: step.actor, lock: 'of the database' }] : []),
];

const isTakenByUnknown = ({ change, by }: LockChange): boolean =>
  by === undefined && (change === 'taken' || change === 'replaced');

/** The reply of a statement that locks: the rows that it has locked, or the 1 of a named lock. */
const grants = (step: StepEvent): boolean =>
  obtainsNamedLock(step) ?? (Array.isArray(step.reply) && step.reply.length > 0);

/** A command, not on the stock, that a fault kept from the server before the actor wrote the stock. */
function failedBeforeWrite({ events }: ScheduleHistory, seller: string): StepEvent | undefined {
  const isOwn = (event: ScheduleEvent): event is StepEvent => event.type === 'step' && event.actor === seller;
  const steps = events.filter(isOwn);
  const write = steps.findIndex(writesStock); // absent: another actor sold for it
  return steps.slice(0, Math.max(0, write)).find((step) => step.fault === 'error' && !usesStock(step));
}
