import { LOCK_TABLE } from '#lab/locks';
import { argumentAt, withoutTexts, type Step } from '#lab/step';
import { numberIn } from './arithmetic';

/** Statements that may wait for a lock of another session. */
export const mayWaitForLock = ({ kind, verb, text }: Pick<Step, 'kind' | 'verb' | 'text'>): boolean =>
  kind === 'sql' &&
  (/^(UPDATE|DELETE|REPLACE)$/.test(verb) ||
    locksTables({ verb }) ||
    (verb === 'INSERT' && !isMovement(text)) ||
    / FOR UPDATE\b| LOCK IN SHARE MODE| FOR SHARE\b|GET_LOCK\s*\(/i.test(text));

/**
 * Statements that may end another session's wait: all except those that take no lock. Outside a transaction an INSERT
 * or a SELECT … FOR UPDATE releases its own locks. A function that a SELECT calls may release a named lock.
 */
export const mayReleaseLocks = (step: Step): boolean =>
  step.kind === 'sql' &&
  !startsTransaction(step) &&
  !preparesTransaction(step) &&
  (step.verb !== 'SELECT' || mayWaitForLock(step) || !onlyReads(step));

/** Statements of SQL that may insert, change or delete rows, also by a function or by what they execute. */
export const mayWriteRows = ({ verb, text }: Pick<Step, 'verb' | 'text'>): boolean =>
  !/^(?:BEGIN|COMMIT|DO|LOCK|RELEASE|ROLLBACK|SAVEPOINT|SELECT|SET|SHOW|START|UNLOCK)$/.test(verb) ||
  isForAnother({ text }) ||
  areSeveral({ text }) ||
  !callsOnly(text, (name) => READING.has(name) || WITHOUT_ROWS.has(name));

export const requestsNamedLock = ({ text }: Pick<Step, 'text'>): boolean => getLockIn(text) !== null;

export const releasesNamedLock = ({ text }: Pick<Step, 'text'>): boolean =>
  /RELEASE_(?:ALL_LOCKS|LOCK)\s*\(/i.test(text);

const GET_LOCK_CALL = /GET_LOCK\s*\(/i;

/** The call of GET_LOCK in a statement; null: it has none, except in a quoted text. */
const getLockIn = (text: string): RegExpExecArray | null =>
  GET_LOCK_CALL.test(text) ? GET_LOCK_CALL.exec(withoutTexts(text)) : null;

/** The arguments of a GET_LOCK as written. Undefined: the statement has none. */
function argumentsOfGetLock({ text }: Pick<Step, 'text'>): { name: string; seconds: string } | undefined {
  const call = getLockIn(text);
  if (call === null) return undefined;
  const begin = call.index + call[0].length;
  const name = argumentAt(text, begin);
  if (name === undefined) return undefined;
  return { name, seconds: argumentAt(text, begin + name.length + 1)?.trim() ?? '' };
}

/** The lock name of GET_LOCK as written: an expression that any session of the schema can evaluate. */
export const lockNameIn = (step: Pick<Step, 'text'>): string | undefined => argumentsOfGetLock(step)?.name;

/** How long a GET_LOCK waits, milliseconds; undefined: it does not wait, or for ever, or its seconds are not made of numbers only. */
export function namedLockWaitMs(step: Pick<Step, 'text'>): number | undefined {
  const { seconds = '' } = argumentsOfGetLock(step) ?? {};
  const ms = Math.round(numberIn(seconds.replace(/^(["'])(.*)\1$/, '$2')) * 1000);
  return ms > 0 ? ms : undefined;
}

/** START TRANSACTION and BEGIN: they commit a transaction that is open. */
const opensTransaction = ({ text }: Pick<Step, 'text'>): boolean =>
  /^(START TRANSACTION|BEGIN)\b(?!.*\bNOT ATOMIC\b)/i.test(text) && !areSeveral({ text });

/** As `opensTransaction`, without a snapshot. */
export const startsTransaction = ({ text }: Pick<Step, 'text'>): boolean =>
  opensTransaction({ text }) && !/\bCONSISTENT SNAPSHOT\b/i.test(text);

/** A text with several statements, or with a semicolon in a value. */
const areSeveral = ({ text }: Pick<Step, 'text'>): boolean => /;\s*\S/.test(text);

/** A procedure, or a text with several statements: one step, although other sessions may come between its statements. */
export const standsForSeveral = ({
  kind,
  verb,
  text,
}: Pick<Step, 'verb' | 'text'> & { readonly kind: string }): boolean =>
  kind === 'sql' &&
  (verb === 'CALL' || (areSeveral({ text }) && /;\s*(?!--|#|\/\*)\S/.test(withoutTexts(text))));

/** COMMIT and ROLLBACK, but not to a savepoint, and not AND CHAIN, which begins another transaction. */
export const endsTransaction = ({ text }: Pick<Step, 'text'>): boolean =>
  /^(COMMIT|ROLLBACK)\b(?!.*\b(TO|AND CHAIN)\b)/i.test(text) && !areSeveral({ text });

/** Sets the isolation level of the next transaction of the session. */
export const preparesTransaction = ({ text }: Pick<Step, 'text'>): boolean => /^SET TRANSACTION /i.test(text);

/** Statements after which a session is in a transaction, or has prepared one. */
export const beginsTransaction = (step: Pick<Step, 'verb' | 'text'>): boolean =>
  /^(START|BEGIN)$/.test(step.verb) || endsAutocommit(step) || preparesTransaction(step);

/** What `SET autocommit = …` sets it to, also beside other variables. Undefined: another statement. */
const autocommitSetTo = ({ text }: Pick<Step, 'text'>): string | undefined =>
  /^SET (?:.*, *)?(?:(?:SESSION|LOCAL) |@@(?:(?:session|local)\.)?)?autocommit *:?= *(\w+)/i.exec(text)?.[1];

/** From now on each statement outside of a transaction begins one. */
const endsAutocommit = (step: Pick<Step, 'text'>): boolean =>
  /^(0|OFF|FALSE)/i.test(autocommitSetTo(step) ?? '');

const beginsAutocommit = (step: Pick<Step, 'text'>): boolean =>
  /^(1|ON|TRUE|DEFAULT)/i.test(autocommitSetTo(step) ?? '');

/** It sets autocommit to a value that its text does not show, or `completion_type`, with which a COMMIT may begin a transaction. */
const obscuresEnds = (step: Pick<Step, 'text'>): boolean =>
  /^SET\b.*\b(?:autocommit|completion_type)\b/i.test(step.text) &&
  !endsAutocommit(step) &&
  !beginsAutocommit(step);

/** A statement after variables that are set for it alone, or in a comment that the database executes. */
const isForAnother = ({ text }: Pick<Step, 'text'>): boolean => /^(?:SET STATEMENT\b|\/\*)/i.test(text);

/** Statements that execute others, which their text does not show or does not begin with. */
export const executesOthers = ({ verb, text }: Pick<Step, 'verb' | 'text'>): boolean =>
  /^(?:CALL|EXECUTE)$/.test(verb) ||
  /^BEGIN NOT\b/i.test(text) ||
  isForAnother({ text }) ||
  areSeveral({ text });

/** Statements that may begin or end a transaction in a way that is not known, or not followed. */
const obscuresTransaction = (step: Pick<Step, 'verb' | 'text'>): boolean =>
  step.verb === 'XA' ||
  /^(?:COMMIT|ROLLBACK)\b.* AND CHAIN\b/i.test(step.text) ||
  executesOthers(step) ||
  obscuresEnds(step);

/** Statements that commit the open transaction of their session, before they do anything. */
export const commitsImplicitly = ({ verb, text }: Pick<Step, 'verb' | 'text'>): boolean =>
  beginsAutocommit({ text }) || (locksTables({ verb }) && !/^(CREATE|DROP) TEMPORARY /i.test(text));

/** LOCK TABLES, and statements that change or check tables: they wait until no other session uses the table, and others wait for them. */
export const locksTables = ({ verb }: Pick<Step, 'verb'>): boolean =>
  /^(ALTER|ANALYZE|CHECK|CREATE|DROP|FLUSH|GRANT|LOCK|OPTIMIZE|RENAME|REPAIR|REVOKE|TRUNCATE)$/.test(verb);

/** UNLOCK TABLES, or what ends LOCK TABLES as well. */
const unlocksTables = (step: Pick<Step, 'verb' | 'text'>): boolean =>
  step.verb === 'UNLOCK' || opensTransaction(step);

/** With these isolation levels a plain SELECT waits for locks, or sees what is not committed. */
export const setsStrictReads = ({ text }: Pick<Step, 'text'>): boolean =>
  /ISOLATION LEVEL (SERIALIZABLE|READ UNCOMMITTED)/i.test(text) ||
  /T(X|RANSACTION)_ISOLATION[\s`]*:?=(?! *['"]?(READ-COMMITTED|REPEATABLE-READ|DEFAULT)\b)/i.test(text);

/** What may stand before a parenthesis in a SELECT that only reads: functions, and words of the language. */
const READING = new Set(
  `abs all and any as avg between by case cast ceil char char_length coalesce concat concat_ws convert count curdate current_date
  current_time current_timestamp curtime date date_add date_format date_sub datediff day distinct else except exists floor from
  from_unixtime greatest group_concat hour if ifnull in inner intersect interval isnull join json_array json_arrayagg json_contains
  json_extract json_length json_object json_objectagg json_unquote json_value last_insert_id lcase least left length limit locate
  lower max min minute mod month not now nullif on or order over partition power rand replace right round row_number second select
  sign sleep some sqrt std stddev substr substring sum sysdate then time timestampadd timestampdiff trim truncate ucase unhex union
  unix_timestamp upper user using utc_timestamp uuid values variance version week when where year`.split(
    /\s+/,
  ),
);

/** Functions that write no row: locks by name, sequences, and what the last statement of the session did. */
const WITHOUT_ROWS = new Set(
  'get_lock is_free_lock is_used_lock release_lock release_all_locks nextval lastval setval found_rows row_count'.split(
    ' ',
  ),
);

/** The database about itself: it shows what transactions do that are not committed, for example the next AUTO_INCREMENT. */
const SYSTEM_SCHEMA = /\b(?:information_schema|performance_schema)\b|\b(?:mysql|sys)`?\s*\./i;

/** A SELECT of rows that calls no other function, which may be a user's and write, and takes no number of a sequence. */
export const onlyReads = ({ text }: Pick<Step, 'text'>): boolean =>
  !/ VALUE FOR /i.test(text) &&
  !SYSTEM_SCHEMA.test(text) &&
  !areSeveral({ text }) &&
  callsOnly(text, (name) => READING.has(name));

/** All functions that a statement calls are such ones. A comment before a parenthesis, or a quoted name, hides one. */
const callsOnly = (text: string, isSuch: (name: string) => boolean): boolean =>
  [...text.matchAll(/([\w$\u0080-\uffff]+|[`"']|\*\/)\s*\(/g)].every(([, word = '']) =>
    isSuch(word.toLowerCase()),
  );

/** The insert of a movement of the lab: a new row at the end of its table, for which no session waits. */
export const isMovement = (text: string): boolean =>
  /^INSERT INTO movement \(balance, (?:segment, )?delta, value_before, value_after, request, /.test(text);

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

/** The reply says that the statement, a DELETE, has changed nothing. Another statement may have changed rows through a trigger. */
export const hasDeletedNone = ({ verb, text }: Pick<Step, 'verb' | 'text'>, reply: unknown): boolean =>
  verb === 'DELETE' &&
  !areSeveral({ text }) &&
  (Array.isArray(reply) || hasAffectedRows(reply)) &&
  !hasFoundRow(reply);

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
  /** It may have ended, or not have begun: a statement may be outside of it, and is then committed at once. */
  readonly isInDoubt: boolean;
}

const newTransaction = (): Transaction => ({
  ownRows: new Set(),
  locked: new Set(),
  usesNeighbors: false,
  hasWritten: false,
  isInDoubt: false,
});

/** Locks and transactions of database sessions, by thread id. */
export interface Holdings {
  readonly transactions: Map<number, Transaction>;
  /** Transactions that requested row locks. */
  readonly rows: Set<number>;
  /** Sessions that requested a named lock. */
  readonly names: Set<number>;
  /** Sessions that requested locks of tables: LOCK TABLES, or FLUSH TABLES WITH READ LOCK. */
  readonly tables: Set<number>;
  /** Sessions that are in a transaction also after its end, because autocommit is off, and in what they are then. */
  readonly manual: Map<number, Transaction>;
}

export const nothingHeld = (): Holdings => ({
  transactions: new Map(),
  rows: new Set(),
  names: new Set(),
  tables: new Set(),
  manual: new Map(),
});

/** A session has ended. */
export function forgetSession(
  { transactions, rows, names, tables, manual }: Holdings,
  session: number,
): void {
  for (const held of [transactions, rows, names, tables, manual]) held.delete(session);
}

/** All sessions have ended. */
export function forgetSessions({ transactions, rows, names, tables, manual }: Holdings): void {
  for (const held of [transactions, rows, names, tables, manual]) held.clear();
}

/** In place of a transaction: the session of the statement is not known, or is another one. */
const UNKNOWN: Transaction = {
  ...newTransaction(),
  locked: new Set(['*']),
  hasWritten: true,
  isInDoubt: true,
};

/** The transaction that a statement belongs to. Undefined: no transaction is open. */
export const transactionOf = (
  { transactions }: Pick<Holdings, 'transactions'>,
  { connection }: Pick<Step, 'connection'>,
): Transaction | undefined =>
  transactions.size === 0
    ? undefined
    : ((connection === undefined ? undefined : transactions.get(connection)) ?? UNKNOWN);

/** The session has an open transaction, and the statement is not one of it: the database commits it first. */
export const commitsOpenTransaction = (
  { transactions }: Pick<Holdings, 'transactions'>,
  step: Pick<Step, 'verb' | 'text' | 'connection'>,
): boolean =>
  (opensTransaction(step) || commitsImplicitly(step)) &&
  step.connection !== undefined &&
  transactions.has(step.connection);

/** The statement ends the LOCK TABLES of its session. */
export const freesTables = (
  { tables }: Pick<Holdings, 'tables'>,
  step: Pick<Step, 'verb' | 'text' | 'connection'>,
): boolean => step.connection !== undefined && tables.has(step.connection) && unlocksTables(step);

/** Updates the holdings after a statement; `reply` is absent when it failed. */
export function updateHoldings(holdings: Holdings, step: Step, reply: unknown): void {
  const { transactions, rows, names, tables, manual } = holdings;
  const { connection: session } = step;
  if (session === undefined) return;
  const transaction = transactions.get(session);
  if (obscuresTransaction(step)) transactions.set(session, UNKNOWN);
  else if (beginsTransaction(step))
    transactions.set(session, { ...newTransaction(), isInDoubt: preparesTransaction(step) });
  else if (transaction !== undefined) transactions.set(session, after(transaction, step, reply));
  if (requestsNamedLock(step)) names.add(session);
  else if (mayWaitForLock(step)) rows.add(session);
  if (endsAutocommit(step)) manual.set(session, newTransaction());
  if (obscuresEnds(step)) manual.set(session, UNKNOWN);
  if (beginsAutocommit(step)) manual.delete(session);
  if (unlocksTables(step)) tables.delete(session);
  if (/^(LOCK|FLUSH)$/.test(step.verb)) tables.add(session);
  if (endsTransaction(step) || commitsImplicitly(step)) {
    rows.delete(session);
    const next = reply === undefined && transaction !== undefined ? UNKNOWN : manual.get(session); // it may have failed before the end
    if (next === undefined) transactions.delete(session);
    else transactions.set(session, next);
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
    isInDoubt: transaction.isInDoubt || reply === undefined,
  };
}

/** The statement is no SELECT, and its reply does not say that it has changed no row. */
const mayWrite = ({ verb }: Pick<Step, 'verb'>, reply: unknown): boolean =>
  verb !== 'SELECT' && !(hasAffectedRows(reply) && reply.affectedRows === 0);
