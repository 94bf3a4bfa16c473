import { worstHarmOf } from '../search';
import { unknownText } from './cell-verdict';
import type { MatrixCell } from './matrix';

/** The mark of a cell whose fault cannot occur. */
export const NOT_APPLICABLE = '–';

/** The fault of the cell cannot occur: there is nothing that it could hit. */
export const isNotApplicable = ({ reason }: Pick<MatrixCell, 'reason'>): boolean =>
  reason?.code === 'fault-never-fired';

/** In how many of all orders of steps the worst harm occurs; empty: they were not counted. */
export function ordersOf(cell: MatrixCell): string {
  const { interleavings, partial } = cell;
  if (interleavings === undefined || partial === true) return '';
  const worst = worstHarmOf(cell);
  const wrong = worst && interleavings[worst.harm];
  return wrong === undefined ? interleavings.all.toLocaleString('en') : shareText(wrong, interleavings.all);
}

/** `1,676 of 1,680 (99 %)`: only all is 100 %. */
export function shareText(n: number, all: number): string {
  const percent = Math.round((100 * n) / all);
  const shown = percent === 0 && n > 0 ? '< 1' : percent === 100 && n < all ? '99' : `${percent}`;
  return `${n.toLocaleString('en')} of ${all.toLocaleString('en')} (${shown} %)`;
}

/** The kinds of violations, with counts; without any, why the cell is unknown, or its most frequent protection. */
export function foundIn(cell: MatrixCell): string {
  if (isNotApplicable(cell)) return 'the fault cannot occur';
  const kinds = Object.entries(cell.kinds).map(([kind, n]) => `${kind} ${n}`);
  if (kinds.length > 0) return kinds.join(', ');
  return cell.reason !== undefined ? unknownText(cell.reason) : (Object.keys(cell.protections)[0] ?? '');
}

/** The cells that have a shortest schedule, by its token: cells with the same token do not need their fault. */
export function cellsByToken(cells: readonly MatrixCell[]): ReadonlyMap<string, readonly MatrixCell[]> {
  const byToken = new Map<string, MatrixCell[]>();
  for (const cell of cells)
    if (cell.token !== undefined) byToken.set(cell.token, [...(byToken.get(cell.token) ?? []), cell]);
  return byToken;
}
