import {
  CELLS,
  cellsByToken,
  foundIn,
  isNotApplicable,
  NOT_APPLICABLE,
  ordersOf,
  signOf,
  SUMMARY_COLUMNS,
  worstHarmOf,
  type MatrixCell,
  type MatrixRow,
} from '#lab/explore';
import { count } from '#lab/step';
import { HARMS, MARKS, type Mark } from '#lab/verdict';
import { renderTable } from './table';
import { fields, shellCommand, wrap } from './wrap';

/** The matrix for a terminal: the marks of every strategy, then each strategy by itself. */
export function printMatrix(rows: readonly MatrixRow[], verbose: boolean): string {
  return [
    ...(rows.length > 1 ? [summaryTable(rows), ''] : []),
    rows.map((row) => printRow(row, verbose)).join('\n\n'),
  ].join('\n');
}

/** The marks of the summary's circumstances: a line for each strategy. */
export const printSummary = (rows: readonly MatrixRow[]): string =>
  [
    renderTable({
      head: ['strategy', ...Object.values(SUMMARY_COLUMNS)],
      rows: rows.map(({ strategy, cells }) => [
        strategy,
        ...Object.keys(SUMMARY_COLUMNS).map((name) => signOf(cells.find(({ cell }) => cell === name))),
      ]),
    }),
    '',
    ...WORST_FIRST.map((mark) => `${MARKS[mark].sign} ${MARKS[mark].words}`),
    `${NOT_APPLICABLE} the fault cannot occur there`,
  ].join('\n');

function countMarks({ cells }: MatrixRow): Map<Mark, number> {
  const marks = new Map<Mark, number>();
  for (const cell of cells) if (!isNotApplicable(cell)) marks.set(cell.mark, (marks.get(cell.mark) ?? 0) + 1);
  return marks;
}

const WORST_FIRST: readonly Mark[] = [...HARMS, 'unknown', 'safe'];

const summaryTable = (rows: readonly MatrixRow[]): string =>
  renderTable({
    head: ['strategy', ...WORST_FIRST.map((mark) => `${MARKS[mark].sign} ${MARKS[mark].words}`)],
    rows: rows.map((row) => {
      const marks = countMarks(row);
      return [row.strategy, ...WORST_FIRST.map((mark) => marks.get(mark) ?? '')];
    }),
  });

function printRow(row: MatrixRow, verbose: boolean): string {
  const { strategy, cells, cost } = row;
  const marks = countMarks(row);
  const tested = cells.filter((cell) => !isNotApplicable(cell)).length;
  const worst = WORST_FIRST.find((mark) => marks.has(mark));
  const counts = WORST_FIRST.flatMap((mark) => {
    const n = marks.get(mark);
    return n === undefined ? [] : [`${MARKS[mark].words} in ${n}`];
  });
  const shown = verbose ? cells : cells.filter((cell) => !isNotApplicable(cell));
  return [
    wrap(
      `${worst === undefined ? '' : `${MARKS[worst].sign} `}${strategy}: ${count(tested, 'circumstance')}, ${counts.join(', ')}`,
      2,
    ),
    ...(verbose
      ? [`  cost of one order without contention: Redis calls ${cost.redis}, SQL statements ${cost.sql}`]
      : []),
    '',
    renderTable({
      head: ['circumstance', 'mark', 'schedules', ...(verbose ? ['all orders'] : []), 'found'],
      rows: shown.map((cell) => [
        titleOf(cell),
        isNotApplicable(cell) ? NOT_APPLICABLE : `${MARKS[cell.mark].sign} ${MARKS[cell.mark].words}`,
        schedulesOf(cell),
        ...(verbose ? [ordersOf(cell)] : []),
        foundIn(cell),
      ]),
    }),
    ...witnessesOf(cells, verbose),
  ].join('\n');
}

const titleOf = ({ cell }: MatrixCell): string => CELLS.find(({ name }) => name === cell)?.title ?? cell;

/** Schedules that show the mark, of all; `+`: the search ended there. */
function schedulesOf(cell: MatrixCell): string {
  if (isNotApplicable(cell)) return '';
  const n = worstHarmOf(cell)?.schedules ?? cell.schedules;
  return `${n}/${cell.schedules}${cell.partial === true ? '+' : ''}`;
}

/** The shortest schedule of the worst mark; with `verbose` that of every cell. Equal schedules are printed once. */
function witnessesOf(cells: readonly MatrixCell[], verbose: boolean): string[] {
  const all = [...cellsByToken(cells)].sort(([, a], [, b]) => severity(a) - severity(b));
  return (verbose ? all : all.slice(0, 1)).flatMap(([token, same]) => {
    const [first] = same;
    return [
      '',
      wrap(`${same.map(titleOf).join('; ')}:`, 2),
      ...(first?.sentence === undefined ? [] : [wrap(`  ${first.sentence}`, 2)]),
      ...(first?.passes === undefined ? [] : [`  next strategy whose data stays right: ${first.passes}`]),
      shellCommand(`npx lab replay ${token}`, 2),
    ];
  });
}

const severity = ([cell]: readonly MatrixCell[]): number => WORST_FIRST.indexOf(cell?.mark ?? 'safe');

/** Versions and settings of the run. */
export const printConditions = (conditions: Readonly<Record<string, string | number | boolean>>): string =>
  fields(Object.entries(conditions).map(([name, value]) => [name, String(value)]));
