import type { Step } from '#lab/step';

/** Statements that may have to wait for a lock of another session. */
export const asksForLock = ({ kind, verb, text }: Step): boolean =>
  kind === 'sql' &&
  (/^(UPDATE|DELETE|REPLACE|LOCK)$/.test(verb) ||
    (verb === 'INSERT' && !isMovement(text)) ||
    / FOR UPDATE\b| LOCK IN SHARE MODE| FOR SHARE\b|GET_LOCK\(/.test(text));

/** Statements after which another session's wait may be over. */
export const mayFree = ({ kind, verb, text }: Step): boolean =>
  kind === 'sql' && (/^(COMMIT|ROLLBACK|DELETE|UPDATE|UNLOCK)$/.test(verb) || text.includes('RELEASE_LOCK('));

export const asksForName = ({ text }: Step): boolean => text.includes('GET_LOCK(');

/** The history's own insert: a new row at the end of its table, which nobody waits for. */
export const isMovement = (text: string): boolean => text.startsWith('INSERT INTO movement ');

/** Keeps the set of sessions that hold something up to date, before a statement is sent. */
export function noteSession(sessions: Set<number>, locking: Set<number>, step: Step): void {
  if (step.connection === undefined) return;
  if (step.verb === 'START' || step.verb === 'BEGIN' || asksForName(step)) sessions.add(step.connection);
  if (asksForLock(step)) locking.add(step.connection);
  if (step.verb === 'COMMIT' || step.verb === 'ROLLBACK' || step.text.includes('RELEASE_LOCK(')) {
    sessions.delete(step.connection);
    locking.delete(step.connection);
  }
}
