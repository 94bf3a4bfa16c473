import type { MatrixRow } from '#lab/explore';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The rows of docs/matrix.json as committed. */
export const { rows } = JSON.parse(
  readFileSync(join(__dirname, '..', '..', 'docs', 'matrix.json'), 'utf8'),
) as { readonly rows: readonly MatrixRow[] };

const cellOf = (strategy: string, cell: string): MatrixRow['cells'][number] | undefined =>
  rows.find((row) => row.strategy === strategy)?.cells.find((one) => one.cell === cell);

/** The token of a cell: a schedule that shows its failure. Undefined: the matrix has none, or no such cell. */
export const tokenOf = (strategy: string, cell: string): string | undefined => cellOf(strategy, cell)?.token;

/** The fault of the cell occurred in none of its schedules. */
export const neverFires = (strategy: string, cell: string): boolean =>
  cellOf(strategy, cell)?.reason?.code === 'fault-never-fired';
