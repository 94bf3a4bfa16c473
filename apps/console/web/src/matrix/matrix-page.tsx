import { useState, type ReactNode } from 'react';
import { api } from '../api/client';
import type { MatrixView } from '../api/types';
import { useLoaded } from '../api/use-loaded';
import { MARKS, MarkSign } from '../shared/mark';
import { ProblemMessage } from '../shared/problem-message';
import { labelOf, useTexts } from '../texts';
import { CellDialog } from './cell-dialog';
import { useChosenCell } from './chosen-cell';
import { MatrixTable } from './matrix-table';
import '../styles/matrix.css';

export function MatrixPage(): ReactNode {
  const t = useTexts();
  const { value: matrix, problem } = useLoaded('matrix', api.matrix);
  const [isWhole, setWhole] = useState(false);
  const { chosen, choose, close } = useChosenCell(matrix);
  return (
    <div className="page matrix-page">
      <div className="detail-head">
        <h1>{t.matrix.title}</h1>
        <button
          type="button"
          aria-pressed={isWhole}
          onClick={() => {
            setWhole(!isWhole);
          }}
        >
          {isWhole ? t.matrix.showLadder : t.matrix.showAll}
        </button>
      </div>
      <p className="intro">{t.matrix.intro}</p>
      <ul className="legend" aria-label={t.matrix.legend}>
        {MARKS.map((mark) => (
          <li key={mark}>
            <MarkSign mark={mark} /> <span aria-hidden="true">{t.marks[mark]}</span>
          </li>
        ))}
      </ul>
      {problem !== undefined && <ProblemMessage problem={problem} />}
      {matrix === undefined && problem === undefined && <p>{t.common.loading}</p>}
      {matrix !== undefined && (
        <>
          <MatrixTable
            title={isWhole ? t.matrix.all : t.matrix.ladder}
            matrix={isWhole ? matrix : summaryOf(matrix)}
            choose={choose}
          />
          <p className="muted">
            {t.matrix.conditions}:{' '}
            {Object.entries(matrix.conditions)
              .map(
                ([name, value]) =>
                  `${labelOf(t.matrix.servers, name)} ${value === '' ? t.common.none : String(value)}`,
              )
              .join(', ')}
          </p>
        </>
      )}
      {chosen !== undefined && <CellDialog chosen={chosen} close={close} />}
    </div>
  );
}

const summaryOf = (matrix: MatrixView): MatrixView => ({
  ...matrix,
  cells: matrix.cells.filter((cell) => matrix.summary.cells.includes(cell)),
  rows: matrix.rows.filter(({ strategy }) => matrix.summary.strategies.includes(strategy)),
});
