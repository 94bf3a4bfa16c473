import type { Step } from '#lab/step';

/** Statements that may wait for a lock of another session. */
export const mayWaitForLock = ({ kind, verb, text }: Pick<Step, 'kind' | 'verb' | 'text'>): boolean =>
  kind === 'sql' &&
  (/^(UPDATE|DELETE|REPLACE|LOCK)$/.test(verb) ||
    (verb === 'INSERT' && !isMovement(text)) ||
    / FOR UPDATE\b| LOCK IN SHARE MODE| FOR SHARE\b|GET_LOCK\(/.test(text));

/**
 * Statements that may end another session's wait: all except those that take no lock. Outside a transaction an INSERT
 * or a SELECT … FOR UPDATE releases its own locks.
 */
export const mayReleaseLocks = (step: Step): boolean =>
  step.kind === 'sql' &&
  step.verb !== 'START' &&
  (step.verb !== 'SELECT' || mayWaitForLock(step) || step.text.includes('RELEASE_LOCK('));

export const requestsNamedLock = ({ text }: Pick<Step, 'text'>): boolean => text.includes(GET_LOCK_CALL);

const GET_LOCK_CALL = 'GET_LOCK(';

/** The lock name of GET_LOCK as written: an expression that any session of the schema can evaluate. */
export function lockNameIn({ text }: Step): string | undefined {
  const begin = text.indexOf(GET_LOCK_CALL);
  if (begin < 0) return undefined;
  const rest = text.slice(begin + GET_LOCK_CALL.length);
  let depth = 0;
  for (const { 0: token, index } of rest.matchAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[(),]/g)) {
    if (token === '(') depth++;
    else if (token === ')') depth--;
    if (depth < 0 || (token === ',' && depth === 0)) return rest.slice(0, index);
  }
  return undefined;
}

/** The insert of a movement: a new row at the end of its table, for which no session waits. */
export const isMovement = (text: string): boolean => text.startsWith('INSERT INTO movement ');

/** Locks and transactions of database sessions, by thread id. */
export interface Holdings {
  /** Sessions in a transaction. */
  readonly transactions: Set<number>;
  /** Transactions that requested row locks. */
  readonly rows: Set<number>;
  /** Sessions that requested a named lock. */
  readonly names: Set<number>;
}

/** Updates the holdings after a statement. */
export function updateHoldings({ transactions, rows, names }: Holdings, step: Step): void {
  const { connection: session, verb, text } = step;
  if (session === undefined) return;
  if (verb === 'START' || verb === 'BEGIN') transactions.add(session);
  if (requestsNamedLock(step)) names.add(session);
  else if (mayWaitForLock(step)) rows.add(session);
  if (verb === 'COMMIT' || verb === 'ROLLBACK') {
    transactions.delete(session);
    rows.delete(session);
  }
  if (text.includes('RELEASE_LOCK(')) names.delete(session);
}
