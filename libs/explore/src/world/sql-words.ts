import type { Step } from '#lab/step';

/** Statements that may have to wait for a lock of another session. */
export const asksForLock = ({ kind, verb, text }: Step): boolean =>
  kind === 'sql' &&
  (/^(UPDATE|DELETE|REPLACE|LOCK)$/.test(verb) ||
    (verb === 'INSERT' && !isMovement(text)) ||
    / FOR UPDATE\b| LOCK IN SHARE MODE| FOR SHARE\b|GET_LOCK\(/.test(text));

/**
 * Statements after which another session's wait may be over: all but those that take no lock. One outside of a transaction
 * frees its own locks, an INSERT or a SELECT … FOR UPDATE as well.
 */
export const mayFree = (step: Step): boolean =>
  step.kind === 'sql' &&
  step.verb !== 'START' &&
  (step.verb !== 'SELECT' || asksForLock(step) || step.text.includes('RELEASE_LOCK('));

export const asksForName = ({ text }: Step): boolean => text.includes(ASKS);

const ASKS = 'GET_LOCK(';

/** The name that a statement asks a lock for, as it is written: an expression that any session of the schema can evaluate. */
export function lockNameIn({ text }: Step): string | undefined {
  const begin = text.indexOf(ASKS);
  if (begin < 0) return undefined;
  const rest = text.slice(begin + ASKS.length);
  let depth = 0;
  for (const { 0: token, index } of rest.matchAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[(),]/g)) {
    if (token === '(') depth++;
    else if (token === ')') depth--;
    if (depth < 0 || (token === ',' && depth === 0)) return rest.slice(0, index);
  }
  return undefined;
}

/** The history's own insert: a new row at the end of its table, which nobody waits for. */
export const isMovement = (text: string): boolean => text.startsWith('INSERT INTO movement ');

/** What a database session holds that others can notice. */
export interface Holdings {
  /** In a transaction. */
  readonly transactions: Set<number>;
  /** Those of them that have asked for row locks. */
  readonly rows: Set<number>;
  /** With a named lock. */
  readonly names: Set<number>;
}

/** Keeps the holdings up to date after a statement. Sessions are thread ids. */
export function noteHoldings({ transactions, rows, names }: Holdings, step: Step): void {
  const { connection: session, verb, text } = step;
  if (session === undefined) return;
  if (verb === 'START' || verb === 'BEGIN') transactions.add(session);
  if (asksForName(step)) names.add(session);
  else if (asksForLock(step)) rows.add(session);
  if (verb === 'COMMIT' || verb === 'ROLLBACK') {
    transactions.delete(session);
    rows.delete(session);
  }
  if (text.includes('RELEASE_LOCK(')) names.delete(session);
}
