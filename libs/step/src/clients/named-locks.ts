const CALL = /\b(?:GET_LOCK|RELEASE_LOCK|IS_FREE_LOCK|IS_USED_LOCK)\s*\(/gi;

/** A statement without its values: in place of each quoted text are as many spaces. */
export const withoutTexts = (sql: string): string =>
  sql.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/gs, (text) => ' '.repeat(text.length));

/** The argument of a call that begins at `from`, as written; undefined: it does not end. */
export function argumentAt(sql: string, from: number): string | undefined {
  const rest = sql.slice(from);
  let depth = 0;
  for (const { 0: token, index } of withoutTexts(rest).matchAll(/[(),]/g)) {
    if (token === '(') depth++;
    else if (token === ')') depth--;
    if (depth < 0 || (token === ',' && depth === 0)) return rest.slice(0, index);
  }
  return undefined;
}

/** The names of all GET_LOCK in a statement, as written. */
export const getLocksIn = (sql: string): readonly string[] =>
  /GET_LOCK\s*\(/i.test(sql) // in few statements: the quoted texts of the others need not be found
    ? Array.from(
        withoutTexts(sql).matchAll(/\bGET_LOCK\s*\(/gi),
        ({ 0: call, index }) => argumentAt(sql, index + call.length) ?? '',
      )
    : [];

/** The name of a lock as sent: `prefix` is put before the expression of a statement. */
export const prefixedName = (prefix: string, expression: string): string =>
  `CONCAT('${prefix}', ${expression})`;

/** The seconds of a GET_LOCK as sent: only the schedule ends the wait, in its own time. 0 and less mean the same as before. */
const MUCH_LONGER = (seconds: string): string => `LEAST((${seconds}) * 1000, 1000000)`;

/** The seconds of a GET_LOCK that must not wait. */
export const NO_WAIT = (): string => '0';

/**
 * The statement as sent in a schedule: with `prefix` before the names of its GET_LOCK locks, and `waiting` in the place of the
 * seconds that it waits. Names are global to a database server: without a prefix, explorations that share a server would wait
 * for each other.
 */
export function namedLocksAsSent(
  sql: string,
  prefix: string,
  waiting: (seconds: string) => string = MUCH_LONGER,
): string {
  let result = '';
  let from = 0;
  for (const { 0: call, index } of withoutTexts(sql).matchAll(CALL)) {
    const begin = index + call.length;
    const name = argumentAt(sql, begin);
    if (name === undefined) continue;
    const end = begin + name.length;
    result += `${sql.slice(from, begin)}${prefixedName(prefix, name)}`;
    from = end;
    const seconds = sql[end] === ',' ? argumentAt(sql, end + 1) : undefined;
    if (seconds === undefined) continue;
    result += `, ${waiting(seconds.trim())}`;
    from = end + 1 + seconds.length;
  }
  return result + sql.slice(from);
}
