import { cellOf, promiseContradictions, reportCard, undeclared, unexplained } from '#lab/explore';
import { CATALOGUE, findStrategy } from '#lab/strategy';
import { rows } from './committed-matrix';

test('docs/matrix.json has a row for every strategy', () => {
  expect(rows.map(({ strategy }) => strategy)).toEqual(CATALOGUE.map(({ name }) => name));
});

test.each(rows)(
  '$strategy lacks the promises that docs/matrix.json shows broken, and no other; they explain all that it shows',
  (row) => {
    const cells = row.cells.map((explored) => ({ cell: cellOf(explored.cell), explored }));
    const card = reportCard(cells);
    expect(unexplained(cells, card)).toEqual([]);
    expect(promiseContradictions(findStrategy(row.strategy), card)).toEqual([]);
  },
);

test('a refused buyer contradicts the exactness of a strategy, unless a missing promise declares it', () => {
  const cell = cellOf('two processes');
  expect(undeclared(findStrategy('token-by-reference'), cell, ['starved'])).toEqual([]);
  expect(undeclared(findStrategy('token-lua'), cell, ['starved'])).toEqual(['starved']);
});
