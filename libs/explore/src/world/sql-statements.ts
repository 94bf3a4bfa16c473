import { LOCK_TABLE } from '#lab/locks';
import { firstArgument, type Step } from '#lab/step';

/** Statements that may wait for a lock of another session. */
export const mayWaitForLock = ({ kind, verb, text }: Pick<Step, 'kind' | 'verb' | 'text'>): boolean =>
  kind === 'sql' &&
  (/^(UPDATE|DELETE|REPLACE|LOCK)$/.test(verb) ||
    (verb === 'INSERT' && !isMovement(text)) ||
    / FOR UPDATE\b| LOCK IN SHARE MODE| FOR SHARE\b|GET_LOCK\(/i.test(text));

/**
 * Statements that may end another session's wait: all except those that take no lock. Outside a transaction an INSERT
 * or a SELECT … FOR UPDATE releases its own locks.
 */
export const mayReleaseLocks = (step: Step): boolean =>
  step.kind === 'sql' &&
  step.verb !== 'START' &&
  !preparesTransaction(step) &&
  (step.verb !== 'SELECT' || mayWaitForLock(step) || releasesNamedLock(step));

export const requestsNamedLock = ({ text }: Pick<Step, 'text'>): boolean => GET_LOCK_CALL.test(text);

export const releasesNamedLock = ({ text }: Pick<Step, 'text'>): boolean => /RELEASE_LOCK\(/i.test(text);

const GET_LOCK_CALL = /GET_LOCK\(/i;

/** The lock name of GET_LOCK as written: an expression that any session of the schema can evaluate. */
export function lockNameIn({ text }: Step): string | undefined {
  const call = GET_LOCK_CALL.exec(text);
  if (call === null) return undefined;
  return firstArgument(text, call.index + call[0].length);
}

export const endsTransaction = ({ verb }: Pick<Step, 'verb'>): boolean => /^(COMMIT|ROLLBACK)$/.test(verb);

/** Sets the isolation level of the next transaction of the session. */
export const preparesTransaction = ({ text }: Pick<Step, 'text'>): boolean => /^SET TRANSACTION /i.test(text);

/** Statements after which a session is in a transaction, or has prepared one. */
export const beginsTransaction = (step: Pick<Step, 'verb' | 'text'>): boolean =>
  /^(START|BEGIN)$/.test(step.verb) ||
  /^SET (SESSION )?autocommit *= *(0|OFF)/i.test(step.text) ||
  preparesTransaction(step);

/** With these isolation levels a plain SELECT waits for locks, or sees what is not committed. */
export const setsStrictReads = ({ text }: Pick<Step, 'text'>): boolean =>
  /ISOLATION LEVEL (SERIALIZABLE|READ UNCOMMITTED)/i.test(text);

/** The insert of a movement of the lab: a new row at the end of its table, for which no session waits. */
export const isMovement = (text: string): boolean => text.startsWith('INSERT INTO movement (balance, ');

/**
 * The row of the lab's own tables that a statement locks exclusively until its transaction ends: its table and key. Undefined: it may
 * lock anything, or read other rows.
 */
export const rowLockedBy = ({ text }: Pick<Step, 'text'>): string | undefined =>
  /\bX?OR\b|\|\|/i.test(text) ? undefined : ROW_STATEMENTS.map((one) => rowIn(one, text)).find(Boolean);

/** Statements with the primary key of a row. */
const ROW_STATEMENTS = [
  /^SELECT [\w, ]+ FROM (balance) WHERE id = ("[^"]*") FOR UPDATE$/,
  /^UPDATE (balance) SET [^()]* WHERE id = ("[^"]*")(?: AND [^()]*)?$/,
  /^INSERT IGNORE INTO (decision) \(ticket, [^()]*\) VALUES \(("[^"]*"), /,
  /^UPDATE (decision) SET [^()]* WHERE ticket = ("[^"]*")$/,
];

const rowIn = (statement: RegExp, text: string): string | undefined => {
  const [, table, key] = statement.exec(text) ?? [];
  return table === undefined || key === undefined ? undefined : `${table} ${key}`;
};

/** The reply says that a statement has found or inserted a row. */
export const hasFoundRow = (reply: unknown): boolean =>
  Array.isArray(reply) ? reply.length > 0 : hasAffectedRows(reply) && reply.affectedRows !== 0;

const hasAffectedRows = (reply: unknown): reply is { readonly affectedRows: unknown } =>
  typeof reply === 'object' && reply !== null && 'affectedRows' in reply;

/** What is known of an open transaction. */
export interface Transaction {
  /** The rows that it has locked exclusively: see `rowLockedBy`. */
  readonly ownRows: ReadonlySet<string>;
  /** The rows on which it may have a lock of any kind; `*`: any row. */
  readonly locked: ReadonlySet<string>;
  /** It has used a table in whose index the rows of all balances are neighbors. */
  readonly usesNeighbors: boolean;
  /** It may have changed something. */
  readonly hasWritten: boolean;
}

const newTransaction = (): Transaction => ({
  ownRows: new Set(),
  locked: new Set(),
  usesNeighbors: false,
  hasWritten: false,
});

/** Locks and transactions of database sessions, by thread id. */
export interface Holdings {
  readonly transactions: Map<number, Transaction>;
  /** Transactions that requested row locks. */
  readonly rows: Set<number>;
  /** Sessions that requested a named lock. */
  readonly names: Set<number>;
}

export const nothingHeld = (): Holdings => ({ transactions: new Map(), rows: new Set(), names: new Set() });

/** A session has ended. */
export function forgetSession({ transactions, rows, names }: Holdings, session: number): void {
  for (const held of [transactions, rows, names]) held.delete(session);
}

/** All sessions have ended. */
export function forgetSessions({ transactions, rows, names }: Holdings): void {
  for (const held of [transactions, rows, names]) held.clear();
}

/** In place of a transaction: the session of the statement is not known, or is another one. */
const UNKNOWN: Transaction = { ...newTransaction(), locked: new Set(['*']), hasWritten: true };

/** The transaction that a statement belongs to. Undefined: no transaction is open. */
export const transactionOf = (
  { transactions }: Pick<Holdings, 'transactions'>,
  { connection }: Pick<Step, 'connection'>,
): Transaction | undefined =>
  transactions.size === 0
    ? undefined
    : ((connection === undefined ? undefined : transactions.get(connection)) ?? UNKNOWN);

/** Updates the holdings after a statement; `reply` is absent when it failed. */
export function updateHoldings(holdings: Holdings, step: Step, reply: unknown): void {
  const { transactions, rows, names } = holdings;
  const { connection: session } = step;
  if (session === undefined) return;
  const transaction = transactions.get(session);
  if (beginsTransaction(step)) transactions.set(session, newTransaction());
  else if (transaction !== undefined) transactions.set(session, after(transaction, step, reply));
  if (requestsNamedLock(step)) names.add(session);
  else if (mayWaitForLock(step)) rows.add(session);
  if (endsTransaction(step)) {
    transactions.delete(session);
    rows.delete(session);
  }
  if (releasesNamedLock(step)) names.delete(session);
}

/** The transaction after a statement. One that failed may have ended it, or have left locks of any kind. */
function after({ ownRows, locked, ...transaction }: Transaction, step: Step, reply: unknown): Transaction {
  const row = rowLockedBy(step);
  const isOwn = row !== undefined && hasFoundRow(reply);
  const more = reply === undefined || (mayWaitForLock(step) && row === undefined) ? '*' : row;
  return {
    ownRows: reply === undefined ? new Set() : isOwn ? new Set(ownRows).add(row) : ownRows,
    locked: more === undefined ? locked : new Set(locked).add(more),
    usesNeighbors: transaction.usesNeighbors || step.text.includes(LOCK_TABLE),
    hasWritten: transaction.hasWritten || reply === undefined || mayWrite(step, reply),
  };
}

/** The statement is no SELECT, and its reply does not say that it has changed no row. */
const mayWrite = ({ verb }: Pick<Step, 'verb'>, reply: unknown): boolean =>
  verb !== 'SELECT' && !(hasAffectedRows(reply) && reply.affectedRows === 0);
