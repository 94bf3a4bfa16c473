import { CELLS, isNotApplicable, type MatrixCell } from '#lab/explore';
import { count } from '#lab/step';
import { CAPABILITIES, nextText, type Strategy } from '#lab/strategy';
import { MARKS, type Mark } from '#lab/verdict';
import { lessonLines } from './lesson';
import { renderTable } from './table';
import { fields, shellCommand, type Field } from './wrap';

/** Each strategy with its mechanism and its defect. */
export const printStrategies = (strategies: readonly Strategy[]): string =>
  [
    `${count(strategies.length, 'strategy', 'strategies')}; "npx lab strategies NAME" prints all about one`,
    renderTable({
      head: ['strategy', 'mechanism', 'defect'],
      rows: strategies.map(({ name, mechanism, defect }) => [name, mechanism, defect]),
      boxed: true,
    }),
  ].join('\n');

/** All about one strategy: its description, the marks of its circumstances, and the command and the lesson that show it. */
export function printStrategy(
  strategy: Strategy,
  cells: readonly MatrixCell[],
  shown: { readonly command: string; readonly result: string } | undefined,
): string {
  const { name, mechanism, defect, lacks, next, options, source } = strategy;
  return [
    fields([
      ['strategy', name],
      ['mechanism', mechanism],
      ['defect', defect],
      ...labelled(
        'lacks',
        lacks.map((one) => `${one}: ${CAPABILITIES[one]}`),
      ),
      ...labelled('matrix', byMark(cells)),
      ['next', nextText(next)],
      ['options', options.join(', ')],
      ['code', `libs/strategy/src/strategies/${name}.ts`],
      ['source', source],
    ]),
    ...(shown === undefined
      ? []
      : ['', `A command that shows it (${shown.result}):`, shellCommand(shown.command, 6)]),
    ...lessonLines(name),
  ].join('\n');
}

/** Several values of one field. */
const labelled = (name: string, values: readonly string[]): readonly Field[] =>
  values.map((value, i) => [i === 0 ? name : '', value]);

/** The circumstances of each mark, the worst mark first. */
const byMark = (cells: readonly MatrixCell[]): readonly string[] =>
  (Object.keys(MARKS) as Mark[]).flatMap((mark) => {
    const titles = cells
      .filter((cell) => cell.mark === mark && !isNotApplicable(cell))
      .map(({ cell }) => CELLS.find(({ name }) => name === cell)?.title ?? cell);
    return titles.length === 0 ? [] : [`${MARKS[mark].sign} ${MARKS[mark].words}: ${titles.join('; ')}`];
  });
