import { useLayoutEffect, useRef, type ReactNode } from 'react';
import { Link } from 'wouter';
import { SIGNS } from '../shared/mark';
import { labelOf, useTexts } from '../texts';
import type { ChosenCell } from './chosen-cell';

/** The evidence of one cell: a witness that opens in Step, or the number of schedules that back the mark. */
export function CellDialog({
  chosen: { strategy, isStale, cell },
  close,
}: {
  chosen: ChosenCell;
  close: () => void;
}): ReactNode {
  const t = useTexts();
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // Back removes the dialog: only a dialog that is closed returns the focus to the cell that opened it
    return () => shown?.close();
  }, []);
  const { mark, sentence, inChinese = sentence, token, passes, schedules, violating, isPartial } = cell;
  return (
    <dialog
      ref={dialog}
      className="cell-dialog"
      aria-labelledby="cell-title"
      onClose={() => {
        if (dialog.current?.open === false) close(); // not when the page has removed it
      }}
      onClick={({ target }) => {
        if (target === dialog.current) close(); // the backdrop
      }}
    >
      <div className="cell-body">
        <h2 id="cell-title">
          {strategy} · {labelOf(t.matrix.cells, cell.cell)}
        </h2>
        <div className={`verdict verdict-${mark === 'none' ? 'unknown' : mark}`}>
          <strong>
            {SIGNS[mark]} {t.marks[mark]}
          </strong>
          {sentence !== undefined && inChinese !== undefined && <p>{t.said(sentence, inChinese)}</p>}
        </div>
        <p>
          {mark === 'none'
            ? t.matrix.none
            : violating > 0
              ? t.matrix.violating(violating, schedules, !isPartial)
              : t.matrix.backed(schedules, !isPartial)}
        </p>
        {isStale && <p className="muted">{t.matrix.stale}</p>}
        {passes !== undefined && (
          <p>
            {t.matrix.passes} <Link href={`/catalogue/${passes}`}>{passes}</Link>
          </p>
        )}
        <p className="actions">
          {token !== undefined && (
            <Link className="button primary" href={`/step/${token}`}>
              {t.common.openInStep}
            </Link>
          )}
          <button type="button" onClick={close}>
            {t.common.close}
          </button>
        </p>
      </div>
    </dialog>
  );
}
