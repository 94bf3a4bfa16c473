import Table from 'cli-table3';
import { lineWidth, wrap } from './wrap';

type Cell = string | number;

interface TableContent {
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Draws borders and a line between rows: for rows of several lines. */
  readonly boxed?: boolean;
}

const GAP = 2;
const NO_BORDERS = {
  ...Object.fromEntries(
    ['top', 'bottom', 'left', 'mid', 'right'].flatMap((side) => [
      [side, ''],
      ...['mid', 'left', 'right'].map((part) => [`${side}-${part}`, '']),
    ]),
  ),
  middle: ' '.repeat(GAP),
};
const NARROWEST = 4;

/**
 * A table that fits the line: the widest columns are wrapped first. Columns without any content (empty, zero or a dash in
 * every row) are left out, except the first one.
 */
export function renderTable({ head, rows, boxed = false }: TableContent): string {
  if (rows.length === 0) return '';
  const kept = head.map((_, i) => i).filter((i) => i === 0 || rows.some((row) => !isEmpty(row[i])));
  const pick = (row: readonly Cell[]): string[] => kept.map((i) => String(row[i] ?? ''));
  const cells = rows.map(pick);
  const names = pick(head);
  const borders = boxed ? 3 * kept.length + 1 : GAP * (kept.length - 1);
  const widths = fit([names, ...cells], lineWidth() - borders);
  const wrapped = (row: readonly string[]): string[] => row.map((cell, i) => breakCell(cell, widths[i] ?? 0));
  const table = new Table({
    head: wrapped(names),
    colWidths: widths.map((width) => width + (boxed ? 2 : 0)),
    colAligns: names.map((_, i) => (cells.every((row) => isNumeric(row[i] ?? '')) ? 'right' : 'left')),
    style: { head: [], border: [], ...(!boxed && { 'padding-left': 0, 'padding-right': 0 }) },
    ...(!boxed && { chars: NO_BORDERS }),
  });
  table.push(...cells.map(wrapped));
  const lines = table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
  if (boxed) return lines.join('\n');
  const headLines = Math.max(...wrapped(names).map((name) => name.split('\n').length));
  const total = widths.reduce((sum, width) => sum + width, borders);
  return [...lines.slice(0, headLines), '─'.repeat(total), ...lines.slice(headLines)].join('\n');
}

const isEmpty = (cell: Cell | undefined): boolean =>
  cell === undefined || ['', '0', '–'].includes(String(cell));
const isNumeric = (cell: string): boolean => /^[-+]?[\d.,]*(\/\d+)?( %|\+)?$/.test(cell) || cell === '–';
const length = (text: string): number => Array.from(text).length;

/** Widths of columns that together have `room` columns. */
function fit(rows: readonly (readonly string[])[], room: number): number[] {
  const columns = (rows[0] ?? []).map((_, i) => rows.map((row) => row[i] ?? ''));
  const widths = columns.map((cells) => Math.max(...cells.flatMap((cell) => cell.split('\n').map(length))));
  const words = columns.map((cells) => Math.max(...cells.flatMap((cell) => cell.split(/\s/).map(length))));
  const widest = (least: readonly number[]): number => {
    const spare = widths.map((width, i) => (width > (least[i] ?? 0) ? width : 0));
    return Math.max(...spare) === 0 ? -1 : spare.indexOf(Math.max(...spare));
  };
  const narrowest = widths.map(() => NARROWEST);
  while (widths.reduce((sum, width) => sum + width, 0) > room) {
    const whole = widest(words);
    const i = whole < 0 ? widest(narrowest) : whole;
    if (i < 0) break;
    widths[i] = (widths[i] ?? 0) - 1;
  }
  return widths;
}

/** Wraps the text of a cell; a word that is longer than the cell is broken. */
const breakCell = (text: string, width: number): string =>
  wrap(text.replace(new RegExp(`\\S{${width}}(?=\\S)`, 'gu'), '$& '), 0, width);
