import type { Action, Use } from './contract';

/** Counts the effects that other requests have had on the same action. */
export function effectsOfOthers(
  { tables: [table = ''], keyColumn }: Use,
  { key, request }: Pick<Action, 'key' | 'request'>,
): { readonly query: string; readonly parameters: readonly string[] } {
  const query = `SELECT COUNT(*) AS count FROM ${table} WHERE request <> ?`;
  return keyColumn === undefined
    ? { query, parameters: [request] }
    : { query: `${query} AND ${keyColumn} = ?`, parameters: [request, key] };
}

/** The statements before processes that begin: as `resetOf`, and what processes remember is set back. */
export const beginningOf = (use: Use): readonly string[] => [...resetOf(use), ...(use.remembered ?? [])];

/** The statements that empty the tables of a use and insert the rows that its actions expect. */
export const resetOf = ({ tables, rows = [] }: Use): readonly string[] => [
  ...tables.map((table) => `DELETE FROM ${table}`),
  ...rows,
];
