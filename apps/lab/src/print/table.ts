import { lineWidth, wrap } from './wrap';
import { columnsOf, wrapWide } from './wrap-wide';

type Cell = string | number;

interface TableContent {
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Draws borders and a line between rows: for rows of several lines. */
  readonly boxed?: boolean;
}

const GAP = 2;
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
  const isRight = names.map((_, i) => cells.every((row) => isNumeric(row[i] ?? '')));
  const layout = (row: readonly string[]): string[][] => layoutRow(row, widths, isRight);
  return boxed
    ? drawBoxed(layout(names), cells.map(layout), widths)
    : drawOpen(layout(names), cells.map(layout));
}

/** The lines of a row: for each line, one padded text per column. */
function layoutRow(
  row: readonly string[],
  widths: readonly number[],
  isRight: readonly boolean[],
): string[][] {
  const columns = row.map((cell, i) => breakCell(cell, widths[i] ?? 0).split('\n'));
  return Array.from({ length: Math.max(...columns.map((lines) => lines.length)) }, (_, n) =>
    columns.map((lines, i) => {
      const text = lines[n] ?? '';
      const padding = ' '.repeat(Math.max(0, (widths[i] ?? 0) - columnsOf(text)));
      return isRight[i] === true ? `${padding}${text}` : `${text}${padding}`;
    }),
  );
}

function drawOpen(head: readonly string[][], rows: readonly string[][][]): string {
  const draw = (line: readonly string[]): string => line.join(' '.repeat(GAP));
  const total = columnsOf(draw(head[0] ?? []));
  return [...head.map(draw), '─'.repeat(total), ...rows.flat().map(draw)]
    .map((line) => line.trimEnd())
    .join('\n');
}

function drawBoxed(
  head: readonly string[][],
  rows: readonly string[][][],
  widths: readonly number[],
): string {
  const rule = (left: string, middle: string, right: string): string =>
    `${left}${widths.map((width) => '─'.repeat(width + 2)).join(middle)}${right}`;
  const blocks = [head, ...rows].map((lines) => lines.map((line) => `│ ${line.join(' │ ')} │`).join('\n'));
  return [rule('┌', '┬', '┐'), blocks.join(`\n${rule('├', '┼', '┤')}\n`), rule('└', '┴', '┘')].join('\n');
}

const isEmpty = (cell: Cell | undefined): boolean =>
  cell === undefined || ['', '0', '–'].includes(String(cell));
const isNumeric = (cell: string): boolean => /^[-+]?[\d.,]*(\/\d+)?( %|\+)?$/.test(cell) || cell === '–';
/** Widths of columns that together have `room` columns. */
function fit(rows: readonly (readonly string[])[], room: number): number[] {
  const columns = (rows[0] ?? []).map((_, i) => rows.map((row) => row[i] ?? ''));
  const widths = columns.map((cells) =>
    Math.max(...cells.flatMap((cell) => cell.split('\n').map(columnsOf))),
  );
  const words = columns.map((cells) => Math.max(...cells.flatMap((cell) => cell.split(/\s/).map(columnsOf))));
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
  columnsOf(text) > Array.from(text).length
    ? wrapWide(text, 0, width)
    : wrap(text.replace(new RegExp(`\\S{${width}}(?=\\S)`, 'gu'), '$& '), 0, width);
