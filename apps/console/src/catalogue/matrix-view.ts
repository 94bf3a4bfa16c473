import {
  CELLS,
  inChinese,
  isNotApplicable,
  LADDER,
  strategyHash,
  SUMMARY_COLUMNS,
  worstHarmOf,
  type MatrixCell,
  type SavedMatrix,
} from '#lab/explore';
import { CATALOGUE } from '#lab/strategy';
import type { MatrixView } from './schemas';

type CellView = MatrixView['rows'][number]['cells'][number];

/** One cell for each column, also where the strategy has none. */
export function matrixView({ conditions, rows }: SavedMatrix): MatrixView {
  const used = new Set(rows.flatMap(({ cells }) => cells.map(({ cell }) => cell)));
  const columns = CELLS.map(({ name }) => name).filter((name) => used.has(name));
  return {
    conditions: { ...conditions },
    cells: columns,
    summary: { strategies: LADDER, cells: Object.keys(SUMMARY_COLUMNS) },
    rows: rows.map(({ strategy, code, cells }) => ({
      strategy,
      isStale: code !== hashOf(strategy),
      cells: columns.map((column) =>
        cellView(
          column,
          cells.find(({ cell }) => cell === column),
        ),
      ),
    })),
  };
}

/** Undefined: the catalogue no longer has the strategy. */
function hashOf(name: string): string | undefined {
  const strategy = CATALOGUE.find((one) => one.name === name);
  return strategy === undefined ? undefined : strategyHash(strategy);
}

function cellView(cell: string, found: MatrixCell | undefined): CellView {
  if (found === undefined) return { cell, mark: 'none', schedules: 0, violating: 0, isPartial: false };
  const { mark, schedules, partial, token, sentence, passes } = found;
  return {
    cell,
    mark: isNotApplicable(found) ? 'none' : mark,
    schedules,
    violating: worstHarmOf(found)?.schedules ?? 0,
    isPartial: partial === true,
    ...(token !== undefined && { token }),
    ...(sentence !== undefined && { sentence, inChinese: inChinese(sentence) }),
    ...(passes !== undefined && { passes }),
  };
}
