import type { EndEvent, ScheduleHistory, StepEvent } from './history';

/**
 * The protections that took effect in this schedule, without duplicates: the statement or lock that made an actor wait,
 * refused it, or made it retry. For people.
 */
export function protections({ events }: ScheduleHistory): ReadonlySet<string> {
  const found = new Set<string>();
  for (const event of events) {
    if (event.type === 'step') {
      const words = protectionOf(event, endOf(events, event.actor));
      if (words !== undefined) found.add(words);
    } else if (event.type === 'end' && event.code === 'LOCK.LOST')
      found.add('refused before its write: it knew that its lock was lost');
  }
  return found;
}

const endOf = (events: ScheduleHistory['events'], actor: string): string | undefined =>
  events.find((event): event is EndEvent => event.type === 'end' && event.actor === actor)?.code;

function protectionOf(step: StepEvent, end: string | undefined): string | undefined {
  const { kind, verb, error, delayed, answeredAt } = step;
  if (kind === 'local' && delayed === true) return 'waited for the mutex of its process';
  if (kind === 'sql' && answeredAt !== undefined) return `waited in the database: ${statementOf(step)}`;
  if (isDeadlockVictim(step)) return `given up by the database in a dead-lock: ${statementOf(step)}`;
  if (error !== undefined || step.timer === true) return undefined;
  if (isRefusedWrite(step))
    return end === 'APPLIED'
      ? `tried again after ${statementOf(step)} changed no row`
      : `refused by ${statementOf(step)}: it changed no row`;
  if (kind === 'timer' && verb === 'WAIT')
    return end === 'LOCK.NOT_OBTAINED' ? 'waited for the lock, and gave up' : 'waited for the lock';
  return undefined;
}

/** The database aborted the statement's transaction to end a deadlock. */
export const isDeadlockVictim = ({ errorCode }: Pick<StepEvent, 'errorCode'>): boolean =>
  errorCode === 'ER_LOCK_DEADLOCK';

/** The statement waited for a lock of another transaction until `innodb_lock_wait_timeout`. */
export const isLockWaitTimeout = ({ errorCode }: Pick<StepEvent, 'errorCode'>): boolean =>
  errorCode === 'ER_LOCK_WAIT_TIMEOUT';

/** A write that changed no row: its WHERE clause refused it. */
export const isRefusedWrite = ({
  kind,
  verb,
  lock,
  reply,
}: Pick<StepEvent, 'kind' | 'verb' | 'lock' | 'reply'>): boolean =>
  kind === 'sql' &&
  /^(UPDATE|INSERT)$/.test(verb) &&
  lock === undefined &&
  typeof reply === 'object' &&
  reply !== null &&
  'affectedRows' in reply &&
  reply.affectedRows === 0;

/** A statement without its values: `UPDATE balance SET amount = ? WHERE id = ? AND fence = ?`. */
export const statementOf = ({ verb, text, script }: Pick<StepEvent, 'verb' | 'text' | 'script'>): string =>
  script ?? (text.startsWith(verb) ? text.replace(/"[^"]*"|\b\d+\b/g, '?') : verb);
