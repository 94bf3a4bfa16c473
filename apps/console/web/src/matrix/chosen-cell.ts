import { useEffect, useRef } from 'react';
import { useSearchParams } from 'wouter';
import type { MatrixCell, MatrixView } from '../api/types';

/** The cell whose evidence is shown. */
export interface ChosenCell {
  readonly strategy: string;
  readonly isStale: boolean;
  readonly cell: MatrixCell;
}

const PARAMETER = 'cell';

/**
 * The cell that the address names: `?cell=strategy,column`. Choosing one is a step of the browser's history, so that Back
 * closes it.
 */
export function useChosenCell(matrix: MatrixView | undefined): {
  readonly chosen: ChosenCell | undefined;
  readonly choose: (cell: ChosenCell) => void;
  readonly close: () => void;
} {
  const [search, setSearch] = useSearchParams();
  const named = search.get(PARAMETER);
  const isPushed = useRef(false);
  useEffect(() => {
    if (named === null) isPushed.current = false;
  }, [named]);
  return {
    chosen: named === null || matrix === undefined ? undefined : findCell(matrix, named),
    choose: ({ strategy, cell }) => {
      isPushed.current = true;
      setSearch({ [PARAMETER]: `${strategy},${cell.cell}` });
    },
    close: () => {
      if (isPushed.current) window.history.back();
      else setSearch({}, { replace: true });
      isPushed.current = false;
    },
  };
}

function findCell({ rows }: MatrixView, text: string): ChosenCell | undefined {
  const [strategy = '', ...rest] = text.split(',');
  const row = rows.find((one) => one.strategy === strategy);
  const cell = row?.cells.find((one) => one.cell === rest.join(','));
  return row !== undefined && cell !== undefined ? { strategy, isStale: row.isStale, cell } : undefined;
}
