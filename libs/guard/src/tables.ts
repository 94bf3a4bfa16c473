import type { Use } from './contract';

/** The statements that empty the tables of a use and insert the rows that its actions expect. */
export const resetOf = ({ tables, rows = [] }: Use): readonly string[] => [
  ...tables.map((table) => `DELETE FROM ${table}`),
  ...rows,
];
