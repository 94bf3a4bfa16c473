import type { MatrixRow } from '#lab/explore';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The rows of docs/matrix.json as committed. */
export const { rows } = JSON.parse(
  readFileSync(join(__dirname, '..', '..', 'docs', 'matrix.json'), 'utf8'),
) as { readonly rows: readonly MatrixRow[] };

/** The token of a cell: a schedule that shows its failure. Undefined: the matrix has none, or no such cell. */
export const tokenOf = (strategy: string, cell: string): string | undefined =>
  rows.find((row) => row.strategy === strategy)?.cells.find((one) => one.cell === cell)?.token;
