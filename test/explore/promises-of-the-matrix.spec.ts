import { cellOf, promiseContradictions, reportCard } from '#lab/explore';
import { CATALOGUE, findStrategy } from '#lab/strategy';
import { rows } from './committed-matrix';

test('docs/matrix.json has a row for every strategy', () => {
  expect(rows.map(({ strategy }) => strategy)).toEqual(CATALOGUE.map(({ name }) => name));
});

test.each(rows)('$strategy lacks the promises that docs/matrix.json shows broken, and no other', (row) => {
  const card = reportCard(row.cells.map((explored) => ({ cell: cellOf(explored.cell), explored })));
  expect(promiseContradictions(findStrategy(row.strategy), card)).toEqual([]);
});
