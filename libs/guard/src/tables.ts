import type { Use } from './contract';

/** Counts the effects of a use that another request (the parameter) made. */
export const effectsOfOthers = ({ tables: [table = ''] }: Use): string =>
  `SELECT COUNT(*) AS count FROM ${table} WHERE request <> ?`;

/** The statements that empty the tables of a use and insert the rows that its actions expect. */
export const resetOf = ({ tables, rows = [] }: Use): readonly string[] => [
  ...tables.map((table) => `DELETE FROM ${table}`),
  ...rows,
];
