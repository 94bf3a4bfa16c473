import { readToken, replay, type World } from '#lab/explore';
import { CATALOGUE } from '#lab/strategy';
import { openWorld } from '../harness/servers';
import { rows } from './committed-matrix';

/** If a test fails here after a strategy has changed, run `npx lab matrix --docs docs/matrix.md`. */
const failures = rows.flatMap(({ strategy, cells }) =>
  cells.flatMap(({ cell, token, passes }) =>
    token === undefined ? [] : [{ strategy, cell, token, passes }],
  ),
);

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

test.each(failures)(
  '$strategy, $cell: the token in docs/matrix.md still shows the failure',
  async ({ token }) => {
    const { verdict } = await replay(world, readToken(token));
    expect(verdict.violations).not.toEqual([]);
  },
);

test('every failing cell has a token, and no cell contradicts the catalogue', () => {
  for (const { strategy, cells } of rows)
    for (const { cell, mark, token, contradictions } of cells)
      expect([strategy, cell, mark === 'safe' || mark === 'unknown', contradictions]).toEqual([
        strategy,
        cell,
        token === undefined,
        [],
      ]);
});

test('the rows are strategies of the catalogue, in its order', () => {
  const known = CATALOGUE.map(({ name }) => name);
  const shown = rows.map(({ strategy }) => strategy);
  expect(known.filter((name) => shown.includes(name))).toEqual(shown);
});
