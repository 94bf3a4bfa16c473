const CALL = /\b(?:GET_LOCK|RELEASE_LOCK|IS_FREE_LOCK|IS_USED_LOCK)\s*\(/gi;

/** The first argument of the call whose parenthesis opens before `from`, as written; undefined: it does not end. */
export function firstArgument(sql: string, from: number): string | undefined {
  const rest = sql.slice(from);
  let depth = 0;
  for (const { 0: token, index } of rest.matchAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[(),]/g)) {
    if (token === '(') depth++;
    else if (token === ')') depth--;
    if (depth < 0 || (token === ',' && depth === 0)) return rest.slice(0, index);
  }
  return undefined;
}

/** The name of a lock as sent: `prefix` is put before the expression of a statement. */
export const prefixedName = (prefix: string, expression: string): string =>
  `CONCAT('${prefix}', ${expression})`;

/**
 * The statement with `prefix` before the names of its GET_LOCK locks. They are global to a database server: without a prefix,
 * explorations that share a server would wait for each other.
 */
export function prefixNamedLocks(sql: string, prefix: string): string {
  let result = '';
  let from = 0;
  for (const { 0: call, index } of sql.matchAll(CALL)) {
    const begin = index + call.length;
    const name = firstArgument(sql, begin);
    if (name === undefined) continue;
    result += `${sql.slice(from, begin)}${prefixedName(prefix, name)}`;
    from = begin + name.length;
  }
  return result + sql.slice(from);
}
