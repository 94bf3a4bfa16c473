import type { MatrixCell } from '../api/types';

/** The cell whose evidence is shown. */
export interface ChosenCell {
  readonly strategy: string;
  readonly isStale: boolean;
  readonly cell: MatrixCell;
}
