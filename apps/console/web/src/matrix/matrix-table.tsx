import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { MatrixCell, MatrixView } from '../api/types';
import { MarkSign } from '../shared/mark';
import { labelOf, useTexts } from '../texts';
import type { ChosenCell } from './chosen-cell';

/** Strategies × circumstances; each mark is a button that shows its evidence. */
export function MatrixTable({
  title,
  matrix: { cells, rows },
  choose,
}: {
  title: string;
  matrix: MatrixView;
  choose: (chosen: ChosenCell) => void;
}): ReactNode {
  const t = useTexts();
  return (
    <div className="matrix-scroll" tabIndex={0} role="region" aria-label={title}>
      <table className="matrix">
        <caption className="hidden">{title}</caption>
        <thead>
          <tr>
            <th scope="col">{t.common.strategy}</th>
            {cells.map((name) => (
              <th key={name} scope="col">
                {labelOf(t.matrix.cells, name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ strategy, isStale, cells: found }) => (
            <tr key={strategy}>
              <th scope="row">
                <Link href={`/catalogue/${strategy}`}>{strategy}</Link>
                {isStale && (
                  <span title={t.matrix.stale} className="mark mark-unknown">
                    {' '}
                    *<span className="hidden">{t.matrix.stale}</span>
                  </span>
                )}
              </th>
              {cells.map((name) => {
                const cell = found.find((one) => one.cell === name);
                return (
                  <td key={name}>
                    {cell !== undefined && (
                      <CellButton
                        cell={cell}
                        label={`${strategy}, ${labelOf(t.matrix.cells, name)}`}
                        choose={() => {
                          choose({ strategy, isStale, cell });
                        }}
                      />
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function CellButton({
  cell: { mark, violating, schedules, isPartial },
  label,
  choose,
}: {
  cell: MatrixCell;
  label: string;
  choose: () => void;
}): ReactNode {
  return (
    <button type="button" className={`cell cell-${mark}`} onClick={choose}>
      <span className="hidden">{label}: </span>
      <MarkSign mark={mark} />
      {mark !== 'none' && (
        <small aria-hidden="true">
          {violating > 0 ? `${violating}/` : ''}
          {schedules}
          {isPartial ? '+' : ''}
        </small>
      )}
    </button>
  );
}
